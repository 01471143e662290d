// A page of the docs against the router: its YAML blocks, the messages and tables below them, and a kernel that serves a block.

import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigError, createKernel, formatProblem, type Inference } from "rtr"
import { createNativeInference, deploymentsOf, loadConfig, type LoadedConfig } from "rtr/node"
import { afterAll, beforeAll, expect, onTestFinished } from "vitest"
import { parse, stringify } from "yaml"
import { chat } from "../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply } from "../fakes/transport.ts"

export type Json = Readonly<Record<string, unknown>>

/** One row of a table with the column Prompt. */
export interface Row {
  readonly previous: string
  readonly prompt: string
  /** Fields of the request, as JSON; `messages` stand before the prompt. */
  readonly request: string
  /** Headers of the request, as JSON. */
  readonly headers: string
  /** Name of the API key that is sent; the first one of the document when left out. */
  readonly key: string
  readonly decision: string
  readonly model: string
}

export interface Block {
  readonly section: string
  readonly yaml: string
  /** The message shown below a block that is refused. */
  readonly refusal: string | undefined
  readonly rows: readonly Row[]
}

export interface Page {
  readonly text: string
  readonly blocks: readonly Block[]
  /** A block that begins with `version` as it is; every other merged into the document of the page. */
  readonly wholeDocument: (block: Block) => string
  readonly load: (yaml: string) => Promise<LoadedConfig>
  /** Problems and warnings, as the command line prints them. */
  readonly problemsOf: (yaml: string) => Promise<readonly string[]>
  readonly serve: (config: LoadedConfig) => Promise<Served>
  /** Where the tables say that prompts go, and where they go. */
  readonly route: (blocks: readonly Block[]) => Promise<{ said: readonly string[]; found: readonly string[] }>
}

interface Served {
  readonly ask: (
    prompt: string,
    changes?: object,
    headers?: Readonly<Record<string, string>>,
    key?: string,
  ) => Promise<Response>
  readonly transport: ReturnType<typeof createFakeTransport>
}

const docs = join(import.meta.dirname, "../../docs")

export interface PageOptions {
  /** Section of the guide to configuration whose document the blocks belong to. */
  readonly base?: string
  /** What backends and services answer; each says "hi" when left out. */
  readonly answer?: Parameters<typeof createFakeTransport>[0]
}

/** A page of `docs/`; its parts belong into the document of the section `base` of the guide to configuration. */
export function openPage(name: string, { base = "A second model and a rule", answer }: PageOptions = {}): Page {
  const text = readFileSync(join(docs, name), "utf8")
  const guide = readFileSync(join(docs, "configuration.md"), "utf8")
  const blocks = readBlocks(text)
  const whole = readBlocks(guide).find(({ section }) => section === base)?.yaml ?? ""
  /** A value for every environment variable that the pages name without a default. */
  const environment = Object.fromEntries(
    [...`${guide}${text}`.matchAll(/\$\{(\w+)\}|(?:api_key_env|env): (\w+)/g)].map(([, braced, named]) => [
      braced ?? named ?? "",
      `value-of-${braced ?? named ?? ""}`,
    ]),
  )
  const folder = mkdtempSync(join(tmpdir(), "rtr-docs-"))
  let signals: Inference
  beforeAll(async () => {
    signals = await createNativeInference()
  })
  afterAll(async () => {
    await signals.close()
    rmSync(folder, { recursive: true })
  })

  const load: Page["load"] = async (yaml) => {
    const path = join(folder, `${randomUUID()}.yaml`)
    writeFileSync(path, yaml)
    return loadConfig(path, { environment })
  }

  /** A kernel of the document, with its models in this process and backends that answer at once. */
  const serve: Page["serve"] = async (config) => {
    const models = Object.fromEntries(deploymentsOf(config).map(({ name: model, artifact }) => [model, artifact ?? ""]))
    const isDefault = Object.entries(models).every(([model, artifact]) => model === "default" && artifact === "signals")
    const inference = isDefault ? signals : await createNativeInference({ models })
    if (!isDefault) onTestFinished(() => inference.close())
    const transport = createFakeTransport(answer ?? jsonReply(completion("hi")))
    const kernel = await createKernel({
      config: config.document,
      environment,
      inference,
      transport,
      ...(config.readFile !== undefined && { readFile: config.readFile }),
    })
    const keys = config.document.listeners?.[0]?.api_keys ?? []
    const ask: Served["ask"] = async (prompt, changes = {}, headers = {}, keyName = "") => {
      const sent = keyName === "" ? keys[0] : keys.find((each) => typeof each !== "string" && each.name === keyName)
      if (keyName !== "" && sent === undefined) throw new Error(`The document has no key "${keyName}"`)
      const key = typeof sent === "string" ? sent : sent?.key
      const response = await kernel.fetch(
        chat(prompt, changes, { ...(key !== undefined && { authorization: `Bearer ${key}` }), ...headers }),
      )
      expect(response.status, `${prompt}: ${await response.clone().text()}`).toBe(200)
      return response
    }
    return { ask, transport }
  }

  const wholeDocument: Page["wholeDocument"] = ({ yaml }) =>
    yaml.startsWith("version:") ? yaml : stringify(merged(parse(whole), parse(yaml)))

  return {
    text,
    blocks,
    wholeDocument,
    load,
    serve,
    async problemsOf(yaml) {
      try {
        const { warnings } = await load(yaml)
        return warnings.map((warning) => `warning: ${formatProblem(warning, "config.yaml")}`)
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        return error.problems.map((problem) => formatProblem(problem, "config.yaml"))
      }
    },
    async route(asked) {
      const said: string[] = []
      const found: string[] = []
      for (const block of asked) {
        if (block.rows.length === 0) continue
        const { ask } = await serve(await load(wholeDocument(block)))
        for (const row of block.rows) {
          const sent = fieldsOf(row.headers) as Record<string, string>
          const { headers } = await ask(row.prompt, requestOf(row), sent, row.key)
          const line = `${block.section}: ${row.prompt} ${row.request}${row.headers}${row.key}`
          said.push(`${line} → ${row.decision}, ${row.model}`)
          found.push(
            `${line} → ${headers.get("x-rtr-selected-decision") ?? "–"}, ${headers.get("x-selected-model") ?? "–"}`,
          )
        }
      }
      return { said, found }
    },
  }
}

/** The YAML blocks of a page, each with its section, what stands below it, and the mark above it. */
export function readBlocks(page: string): readonly Block[] {
  const found = [...page.matchAll(/^(<!-- refused -->\n)?```yaml\n(.*?)^```$/gms)]
  return found.map((match, index): Block => {
    const [whole, mark, yaml = ""] = match
    const before = page.slice(0, match.index)
    const below = page.slice(match.index + whole.length, found[index + 1]?.index).split(/^#/m)[0] ?? ""
    const shown = /^```text\n(.*?)\n```$/ms.exec(below)?.[1]
    if (mark !== undefined && shown === undefined) throw new Error(`No message stands below the block ${yaml}`)
    return {
      section: [...before.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? "",
      yaml,
      refusal: mark === undefined ? undefined : shown,
      rows: rowsOf(below),
    }
  })
}

function rowsOf(text: string): readonly Row[] {
  const [header = "", , ...lines] = /^\n*((?:\|.*\n)+)/.exec(text)?.[1]?.trimEnd().split("\n") ?? []
  const columns = cellsOf(header)
  if (!columns.includes("Prompt")) return []
  return lines.map((line) => {
    const cells = cellsOf(line)
    const cell = (column: string): string => cells[columns.indexOf(column)] ?? ""
    return {
      previous: cell("Answer before"),
      prompt: cell("Prompt"),
      request: cell("Request").replaceAll("`", ""),
      headers: cell("Headers").replaceAll("`", ""),
      key: cell("Key"),
      decision: cell("Decision"),
      model: cell("Model"),
    }
  })
}

function cellsOf(line: string): readonly string[] {
  const cells = line.split("|").slice(1, -1)
  return cells.map((cell) => cell.trim())
}

const fieldsOf = (json: string): Json => (json === "" ? {} : (JSON.parse(json) as Json))

/** The fields of a row; messages before the prompt are those that it names and the answer before. */
function requestOf({ previous, prompt, request }: Row): Json {
  const { messages = [], ...fields } = fieldsOf(request) as Json & { readonly messages?: readonly Json[] }
  const before = [...messages, ...(previous === "" ? [] : [{ role: "assistant", content: previous }])]
  const last = prompt === "" ? [] : [{ role: "user", content: prompt }]
  return { ...fields, messages: [...before, ...last] }
}

export function merged(into: unknown, part: unknown): unknown {
  if (!isMap(into) || !isMap(part)) return part
  const keys = new Set([...Object.keys(into), ...Object.keys(part)])
  return Object.fromEntries(
    [...keys].map((key) => [key, key in part && key in into ? merged(into[key], part[key]) : (part[key] ?? into[key])]),
  )
}

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
