// docs/configuration.md against the router: its YAML is valid, its broken YAML gives the messages shown, its tables are where prompts go.

import { randomUUID } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ConfigError, createKernel, formatProblem, type Inference } from "rtr"
import { createNativeInference, deploymentsOf, loadConfig, type LoadedConfig } from "rtr/node"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { parse, stringify } from "yaml"
import { chat } from "../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply } from "../fakes/transport.ts"

type Json = Readonly<Record<string, unknown>>

interface Row {
  readonly previous: string
  readonly prompt: string
  readonly decision: string
  readonly model: string
}

interface Block {
  readonly section: string
  readonly yaml: string
  /** The message shown below a block that is refused. */
  readonly refusal: string | undefined
  readonly rows: readonly Row[]
}

const guide = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8")
const blocks = readBlocks(guide)
const baseSection = "A second model and a rule"
const base = blocks.find(({ section }) => section === baseSection)?.yaml ?? ""
const present = blocks.filter(({ refusal }) => refusal === undefined)

/** A value for every environment variable that the page names without a default. */
const environment = Object.fromEntries(
  [...guide.matchAll(/\$\{(\w+)\}|(?:api_key_env|env): (\w+)/g)].map(([, braced, named]) => [
    braced ?? named ?? "",
    `value-of-${braced ?? named ?? ""}`,
  ]),
)

const folder = mkdtempSync(join(tmpdir(), "rtr-guide-"))
let signals: Inference

beforeAll(async () => {
  signals = await createNativeInference()
})

afterAll(async () => {
  await signals.close()
  rmSync(folder, { recursive: true })
})

test("the page has the blocks that the other tests read", () => {
  const sections = blocks.map(({ section }) => section)
  for (const section of ["The smallest document", baseSection, "Several backends", "A whole company"])
    expect(sections).toContain(section)
  expect(blocks.filter(({ refusal }) => refusal !== undefined).length).toBeGreaterThanOrEqual(3)
  expect(present.length).toBeGreaterThan(25)
  const company = blocks.find(({ section }) => section === "A whole company")
  const { routing } = parse(company?.yaml ?? "") as { routing: { decisions: readonly { name: string }[] } }
  expect(company?.rows.map(({ decision }) => decision)).toEqual([...routing.decisions.map(({ name }) => name), "–"])
})

test("every block is valid, alone or inside the document that it belongs to", async () => {
  const wrong: string[] = []
  const readme = readBlocks(readFileSync(join(import.meta.dirname, "../../README.md"), "utf8"))
  expect(readme).toHaveLength(1)
  for (const block of [...present, ...readme]) {
    const problems = await problemsOf(wholeDocument(block))
    wrong.push(...problems.map((problem) => `${block.section}: ${problem}`))
  }
  expect(wrong).toEqual([])
})

test("every block that is refused gives the message below it", async () => {
  const refused = blocks.filter(({ refusal }) => refusal !== undefined)
  const found = await Promise.all(refused.map(({ yaml }) => problemsOf(yaml)))
  expect(found.map((problems) => problems.join("\n"))).toEqual(refused.map(({ refusal }) => refusal))
})

test("the table of refused keys lists only what is refused", async () => {
  const words = (part: string): readonly string[] => {
    const row = guide.split("\n").find((line) => line.startsWith(`| ${part} |`) && !line.includes("| Meaning |"))
    return [...(row?.split("|")[2]?.split(";")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? "")
  }
  const decision = { name: "any", modelRefs: [{ model: "small" }] }
  const documents: Readonly<Record<string, (word: string) => Json>> = {
    document: (word) => ({ [word]: {} }),
    signals: (word) => ({ routing: { signals: { [word]: [] } } }),
    algorithms: (type) => ({ routing: { decisions: [{ ...decision, algorithm: { type } }] } }),
    plugins: (type) => ({ routing: { decisions: [{ ...decision, plugins: [{ type, configuration: {} }] }] } }),
  }
  const accepted: string[] = []
  for (const [part, toPart] of Object.entries(documents)) {
    expect(words(part).length, `words in the row ${part}`).toBeGreaterThan(0)
    for (const word of words(part)) {
      const problems = await problemsOf(stringify(merged(parse(base), toPart(word))))
      if (!problems.some((problem) => problem.endsWith("is not supported yet"))) accepted.push(`${part}: ${word}`)
    }
  }
  expect(accepted).toEqual([])
})

test("prompts go where the tables say", async () => {
  const said: string[] = []
  const found: string[] = []
  for (const block of present) {
    if (block.rows.length === 0) continue
    const { ask } = await serve(await load(wholeDocument(block)))
    for (const { previous, prompt, decision, model } of block.rows) {
      const messages = [
        ...(previous === "" ? [] : [{ role: "assistant", content: previous }]),
        { role: "user", content: prompt },
      ]
      const { headers } = await ask(prompt, { messages })
      const line = `${block.section}: ${prompt}`
      said.push(`${line} → ${decision}, ${model}`)
      found.push(
        `${line} → ${headers.get("x-rtr-selected-decision") ?? "–"}, ${headers.get("x-selected-model") ?? "–"}`,
      )
    }
  }
  expect(said.length).toBeGreaterThan(30)
  expect(found).toEqual(said)
})

test("several backends get the requests and the model names that the page says", async () => {
  const block = blocks.find(({ section }) => section === "Several backends")
  const { ask, transport } = await serve(await load(block?.yaml ?? ""))
  const prompts = Array.from({ length: 12 }, (_, index) => `Question ${index}`)
  for (const prompt of prompts) await ask(prompt)
  const seen = transport.requests.map(({ url, body }) => {
    const { model } = JSON.parse(String(body)) as { model: string }
    return `${new URL(url).host} ${model}`
  })
  const everyFour = [...Array<string>(3).fill("10.0.0.7:8000 llama-3.1-8b"), "api.openai.com gpt-5-mini"]
  for (const start of [0, 4, 8]) expect(seen.slice(start, start + 4).toSorted()).toEqual(everyFour)
})

/** The YAML blocks of the page, each with its section, what stands below it, and the mark above it. */
function readBlocks(page: string): readonly Block[] {
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
    return { previous: cell("Answer before"), prompt: cell("Prompt"), decision: cell("Decision"), model: cell("Model") }
  })
}

function cellsOf(line: string): readonly string[] {
  const cells = line.split("|").slice(1, -1)
  return cells.map((cell) => cell.trim())
}

/** A block that begins with `version` as it is; every other merged into the document of its page. */
function wholeDocument({ yaml }: Block): string {
  return yaml.startsWith("version:") ? yaml : stringify(merged(parse(base), parse(yaml)))
}

function merged(into: unknown, part: unknown): unknown {
  if (!isMap(into) || !isMap(part)) return part
  const keys = new Set([...Object.keys(into), ...Object.keys(part)])
  return Object.fromEntries(
    [...keys].map((key) => [key, key in part && key in into ? merged(into[key], part[key]) : (part[key] ?? into[key])]),
  )
}

const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

async function load(yaml: string): Promise<LoadedConfig> {
  const path = join(folder, `${randomUUID()}.yaml`)
  writeFileSync(path, yaml)
  return loadConfig(path, { environment })
}

/** Problems and warnings, as the command line prints them. */
async function problemsOf(yaml: string): Promise<readonly string[]> {
  try {
    const { warnings } = await load(yaml)
    return warnings.map((warning) => `warning: ${formatProblem(warning, "config.yaml")}`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => formatProblem(problem, "config.yaml"))
  }
}

/** A kernel of the document, with its models in this process and backends that answer at once. */
async function serve(config: LoadedConfig) {
  const models = Object.fromEntries(deploymentsOf(config).map(({ name, artifact }) => [name, artifact ?? ""]))
  const isDefault = Object.entries(models).every(([name, artifact]) => name === "default" && artifact === "signals")
  const inference = isDefault ? signals : await createNativeInference({ models })
  if (!isDefault) onTestFinished(() => inference.close())
  const transport = createFakeTransport(jsonReply(completion("hi")))
  const kernel = await createKernel({ config: config.document, environment, inference, transport })
  const key = config.document.listeners?.[0]?.api_keys?.[0]
  const ask = async (prompt: string, changes: object = {}): Promise<Response> => {
    const response = await kernel.fetch(
      chat(prompt, changes, key === undefined ? {} : { authorization: `Bearer ${key}` }),
    )
    expect(response.status, `${prompt}: ${await response.clone().text()}`).toBe(200)
    return response
  }
  return { ask, transport }
}
