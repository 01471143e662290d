// The models file: a list of entries, each with the keys of document 2, "Models file entry".

import { readFileSync } from "node:fs"
import { LineCounter, parseDocument } from "yaml"
import { RtrError } from "../kernel/index.ts"
import { buildFeatures } from "../kernel/runtime/node.ts"

export interface ModelsFileEntry {
  readonly model: string
  /** An immutable commit: a file that is read again and again must mean the same each time. */
  readonly revision?: string
  readonly name?: string
  readonly device?: string
  readonly profile?: string
  readonly engine?: string
  readonly family?: string
  readonly memoryBudgetGib?: number
  readonly maxScanTokens?: number
}

const texts = ["model", "revision", "name", "device", "profile", "engine", "family"] as const
const known: ReadonlySet<string> = new Set([...texts, "memory_budget_gib", "options"])

/** Reads a models file. Throws an `RtrError` that names the entry and the key that is wrong, and quotes nothing else. */
export function readModelsFile(file: string): readonly ModelsFileEntry[] {
  try {
    const entries = readList(parse(readText(file)))
    return entries.map((entry, index) => readEntry(entry, `models[${index}]`, buildFeatures.familyOptions))
  } catch (cause) {
    throw new RtrError("invalid_request", `Cannot use models file ${file}: ${(cause as Error).message}`, { cause })
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    return fail(code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`)
  }
}

/** Says where a text is not YAML and in which way: the parser's own messages quote lines, which may hold secrets. */
function parse(text: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false, resolveKnownTags: false })
  const [error] = [...document.errors, ...document.warnings]
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    fail(`line ${line}, column ${col} is not valid YAML (${error.code.toLowerCase().replaceAll("_", " ")})`)
  }
  try {
    return document.toJS()
  } catch {
    return fail("an alias has no anchor before it, or there are too many; quote a text that begins with *")
  }
}

function readList(value: unknown): readonly unknown[] {
  const list = Array.isArray(value) ? value : (value as { models?: unknown } | null)?.models
  if (value === null || (Array.isArray(list) && list.length === 0))
    fail("it names no model; list at least one, such as - model: signals")
  if (!Array.isArray(list)) fail("it must be a list of models, or a map with a list named models")
  return list as readonly unknown[]
}

function readEntry(value: unknown, at: string, familyOptions: readonly string[]): ModelsFileEntry {
  if (typeof value !== "object" || value === null) fail(`${at} must be a map`)
  const entry = value as Readonly<Record<string, unknown>>
  for (const key of Object.keys(entry)) if (!known.has(key)) fail(`${at}.${key} is not a known key`)
  if (typeof entry["model"] !== "string" || entry["model"] === "") fail(`${at}.model is missing`)
  for (const key of texts)
    if (entry[key] !== undefined && typeof entry[key] !== "string") fail(`${at}.${key} must be a string`)
  const { memory_budget_gib: budget, options, ...rest } = entry
  if (budget !== undefined && (typeof budget !== "number" || !(budget > 0)))
    fail(`${at}.memory_budget_gib must be a number above 0`)
  checkPinned(entry as { model: string; revision?: string }, at)
  return {
    ...(rest as unknown as ModelsFileEntry),
    ...(budget !== undefined && { memoryBudgetGib: budget as number }),
    ...readOptions(options, at, familyOptions),
  }
}

function checkPinned({ model, revision }: { model: string; revision?: string }, at: string): void {
  const pinned = revision ?? (model.includes("@") && !model.startsWith("/") ? model.split("@")[1] : undefined)
  if (pinned !== undefined && !/^[0-9a-f]{40}$/.test(pinned))
    fail(
      `${at}.revision must be a commit of 40 hexadecimal digits, got ${JSON.stringify(pinned)}; rtrun prepare MODEL@REVISION prints it`,
    )
}

function readOptions(options: unknown, at: string, familyOptions: readonly string[]): { maxScanTokens?: number } {
  if (options === undefined) return {}
  if (typeof options !== "object" || options === null || Array.isArray(options)) fail(`${at}.options must be a map`)
  for (const key of Object.keys(options as object))
    if (!familyOptions.includes(key)) fail(`${at}.options.${key} is not supported yet`)
  const { max_scan_tokens: tokens } = options as { max_scan_tokens?: unknown }
  if (tokens === undefined) return {}
  if (typeof tokens !== "number" || !Number.isSafeInteger(tokens) || tokens < 1)
    return fail(`${at}.options.max_scan_tokens must be a whole number above 0`)
  return { maxScanTokens: tokens }
}

function fail(problem: string): never {
  throw new Error(problem)
}
