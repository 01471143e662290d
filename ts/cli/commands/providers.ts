// rtr providers: whom the backends of a model may be of.

import type { Command } from "commander"
import { printJson, printLine, table } from "../print.ts"
import { commandGroup } from "../program.ts"

export function addProvidersCommands(program: Command): void {
  const group = commandGroup(program.command("providers").description("show the providers that backends may name"))
  group
    .command("list")
    .description("list them with address and key variable")
    .option("--json", "print JSON", false)
    .action(list)
  group
    .command("show")
    .description("show one provider")
    .argument("<provider>", "id of the provider, or another name of it")
    .action(show)
}

interface Provider {
  readonly id: string
  readonly aliases: readonly string[]
  readonly about: string
  readonly dialect: string
  readonly api_formats: readonly string[]
  readonly base_url: string | undefined
  readonly key_variable: string | undefined
  readonly source: string | undefined
}

async function readProviders(): Promise<readonly Provider[]> {
  const { loadBuiltins } = await import("rtr/node")
  const modules = (await loadBuiltins()).all("provider")
  return modules
    .filter(({ module }) => module.aliasOf === undefined && module.useInstead === undefined)
    .map(({ id, module }) => ({
      id,
      aliases: modules.filter((other) => other.module.aliasOf === id).map((other) => other.id),
      about: module.about,
      dialect: module.dialect,
      api_formats: Object.keys(module.formats ?? {}),
      base_url: module.baseUrl,
      key_variable: module.keyVariable,
      source: module.source,
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function list(options: { json: boolean }): Promise<void> {
  const providers = await readProviders()
  if (options.json) return printJson(providers)
  printLine(
    table(
      ["Provider", "Base URL", "Key variable", "About"],
      providers.map(({ id, base_url: url = "-", key_variable: key = "-", about }) => [id, url, key, about]),
    ),
  )
}

async function show(name: string): Promise<void> {
  const providers = await readProviders()
  const found = providers.find(({ id, aliases }) => id === name || aliases.includes(name))
  if (found === undefined) {
    const { RtrError, suggestion } = await import("rtr")
    const names = providers.flatMap(({ id, aliases }) => [id, ...aliases])
    throw new RtrError("not_found", `There is no provider "${name}"${suggestion(name, names)}`, {
      hint: "List them with: rtr providers list",
    })
  }
  const { id, aliases, about, dialect, api_formats: formats, base_url: url, key_variable: key, source } = found
  const rows: readonly (readonly [string, string])[] = [
    ["Provider", id],
    ["Other names", aliases.join(", ")],
    ["About", about],
    ["Protocol", dialect],
    ["api_format", ["openai", ...formats].join(", ")],
    ["Base URL", url ?? "none: name an endpoint or a base_url"],
    ["Key variable", key ?? ""],
    ["Source", source ?? ""],
  ]
  printLine(
    table(
      ["", ""],
      rows.filter(([, value]) => value !== ""),
    )
      .split("\n")
      .slice(1)
      .join("\n"),
  )
}
