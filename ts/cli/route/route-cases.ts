// Files of prompts: what each prompt should lead to, for `rtr route test`, or prompts alone, for `rtr route compare`.

import { readFileSync } from "node:fs"
import { mapOf, RtrError } from "rtr"
import { Type, type Static } from "typebox"
import { Value } from "typebox/value"
import { type Document, parseDocument } from "yaml"
import type { PreviewRequest } from "./previewer.ts"

const strict = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
export const factStates = ["match", "no_match", "unknown"] as const
const state = Type.Enum(factStates)

const expectation = Type.Object(
  {
    /** Empty for no decision. */
    decision: Type.Optional(Type.String()),
    model: Type.Optional(text),
    /** Whether it is refused, because a decision with `on_unknown: fail_request` cannot be decided. */
    refused: Type.Optional(Type.Boolean()),
    /** By `type:rule`. */
    signals: Type.Optional(mapOf(state)),
  },
  strict,
)

const routeCase = Type.Object(
  {
    name: Type.Optional(text),
    prompt: Type.Optional(text),
    messages: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
    tools: Type.Optional(Type.Array(Type.Unknown())),
    model: Type.Optional(text),
    /** Name of the API key that would be sent. */
    user_id: Type.Optional(text),
    expect: Type.Optional(expectation),
  },
  strict,
)

const routeFile = Type.Object({ tests: Type.Array(routeCase, { minItems: 1 }) }, strict)

/** Problems of a file that are listed. */
const maxListed = 10

export type Expectation = Static<typeof expectation>
export type RouteCase = Static<typeof routeCase>

export interface RouteFile {
  readonly cases: readonly RouteCase[]
  /** The file with its comments, for an update; undefined for a file of prompts alone. */
  readonly document: Document | undefined
}

/**
 * Reads YAML or JSON with `tests:`, or a `.txt` or `.jsonl` file with a prompt in each line. Throws `invalid_request` with the
 * path of what is wrong.
 */
export function readRouteFile(path: string): RouteFile {
  const content = readText(path)
  if (path.endsWith(".txt"))
    return promptsAlone(
      path,
      nonEmpty(content).map((prompt) => ({ prompt })),
    )
  if (path.endsWith(".jsonl"))
    return promptsAlone(
      path,
      nonEmpty(content).map((line, index) => caseOfLine(line, `${path}:${index + 1}`)),
    )
  const document = parseDocument(content)
  const [error] = document.errors
  if (error !== undefined) throw wrong(path, error.message)
  const value: unknown = document.toJS()
  const problems = Value.Errors(routeFile, value).flatMap(saidOf)
  if (problems.length > 0) throw wrong(path, problems.slice(0, maxListed).join("; "))
  const { tests } = value as Static<typeof routeFile>
  tests.forEach((each, index) => {
    if ((each.prompt === undefined) === (each.messages === undefined))
      throw wrong(path, `tests[${index}] must have either prompt or messages`)
  })
  return { cases: tests, document }
}

export function requestOf({ prompt, messages, tools, model, user_id: userId }: RouteCase): PreviewRequest {
  return {
    ...(prompt !== undefined && { text: prompt }),
    ...(messages !== undefined && { messages }),
    ...(tools !== undefined && { tools }),
    ...(model !== undefined && { model }),
    ...(userId !== undefined && { preview_context: { user_id: userId } }),
  } as PreviewRequest
}

/** The name of a case, otherwise the beginning of its prompt. */
export function nameOf({ name, prompt, messages = [] }: RouteCase): string {
  const words = name ?? prompt ?? lastText(messages)
  const line = words.replaceAll(/\s+/g, " ").trim()
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

function lastText(messages: readonly unknown[]): string {
  const { content } = (messages.at(-1) ?? {}) as { readonly content?: unknown }
  return typeof content === "string" ? content : JSON.stringify(content ?? "")
}

function caseOfLine(line: string, place: string): RouteCase {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw wrong(place, "it is not valid JSON")
  }
  // Lines of logs have further keys, which say nothing about routing.
  const found = typeof value === "string" ? { prompt: value } : value
  const {
    prompt,
    text: written,
    messages,
    tools,
    model,
    user_id: userId,
  } = (found ?? {}) as Readonly<Record<string, unknown>>
  if (model !== undefined && (typeof model !== "string" || model === "")) throw wrong(place, "model must be a name")
  if (userId !== undefined && (typeof userId !== "string" || userId === ""))
    throw wrong(place, "user_id must be the name of an API key")
  if (tools !== undefined && !Array.isArray(tools)) throw wrong(place, "tools must be a list")
  const rest = {
    ...(tools !== undefined && { tools }),
    ...(model !== undefined && { model }),
    ...(userId !== undefined && { user_id: userId }),
  }
  const asked = prompt ?? written
  if (typeof asked === "string" && asked !== "") return { prompt: asked, ...rest }
  if (Array.isArray(messages) && messages.length > 0) return { messages, ...rest }
  throw wrong(place, 'must be a text, or an object with "prompt" or "messages"')
}

function promptsAlone(path: string, cases: readonly RouteCase[]): RouteFile {
  if (cases.length === 0) throw wrong(path, "has no prompts")
  return { cases, document: undefined }
}

const nonEmpty = (content: string): readonly string[] => content.split(/\r?\n/).filter((line) => line.trim() !== "")

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    throw new RtrError("invalid_request", `Cannot read ${path}: ${(cause as Error).message}`, { cause })
  }
}

const wrong = (path: string, message: string): RtrError =>
  new RtrError("invalid_request", `Cannot use ${path}: ${message}`, {
    hint: /\.(?:txt|jsonl)(?::\d+)?$/.test(path)
      ? undefined
      : "A file of route tests begins with: tests: [{ prompt: …, expect: { decision: …, model: … } }]",
  })

/** What is wrong at a place, with what would be right. */
function saidOf(problem: ReturnType<typeof Value.Errors>[number]): readonly string[] {
  const place = placeOf(problem.instancePath)
  // Each unknown key has an error of its own.
  if (problem.keyword === "additionalProperties") return []
  if (problem.keyword === "boolean")
    return [`${place} is no key of a test; there are ${keysAt(problem.instancePath).join(", ")}`]
  if (problem.keyword === "enum") return [`${place} must be one of ${problem.params.allowedValues.join(", ")}`]
  return [`${place} ${problem.message}`]
}

/** The keys that may stand where this one does. */
function keysAt(pointer: string): readonly string[] {
  const depth = pointer.split("/").length
  return Object.keys((depth > 4 ? expectation : depth > 3 ? routeCase : routeFile).properties)
}

/** `/tests/0/expect` → `tests[0].expect` */
const placeOf = (pointer: string): string =>
  pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".") || "the file"
