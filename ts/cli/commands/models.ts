// rtrun models: the built-in models with their pinned revisions.

import type { Command } from "commander"
import { printJson, printLine, table } from "../print.ts"

export function addModelsCommand(program: Command): void {
  program
    .command("models")
    .description("list the built-in models")
    .option("--json", "print JSON, with the size and SHA-256 of every file", false)
    .action(listModels)
}

async function listModels(options: { json: boolean }): Promise<void> {
  const { readBuiltinModels } = await import("rtr/node")
  const models = readBuiltinModels().map(
    ({ name, family, heads, maxTokens, licence, repository, revision, files }) => ({
      name,
      family,
      heads,
      max_tokens: maxTokens ?? null,
      licence,
      repository: repository ?? null,
      revision,
      files,
    }),
  )
  if (options.json) return printJson(models)
  printLine(
    table(
      ["Name", "Family", "Heads", "Tokens", "Licence", "Source", "Revision"],
      models.map(({ name, family, heads, max_tokens: tokens, licence, repository, revision }) => [
        name,
        family,
        heads.join(", "),
        tokens === null ? "" : String(tokens),
        licence,
        repository ?? "in the package",
        revision.slice(0, 16),
      ]),
    ),
  )
}
