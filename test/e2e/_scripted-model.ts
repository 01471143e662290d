// A model behind a backend of each protocol. What it says follows from what it is asked, so that whole conversations can be played.

import type { ServerResponse } from "node:http"
import { chatCompletions } from "../protocols/chat-completions.ts"
import { type Asked, type Part, type Protocol, type Said } from "../protocols/conversation.ts"
import type { Ends } from "../protocols/ends.ts"
import { messages } from "../protocols/messages.ts"
import { responses } from "../protocols/responses.ts"
import { sendJson } from "./_backend-answers.ts"
import { startTestBackend, type TestBackend } from "./_processes.ts"

export interface ScriptedModel extends TestBackend {
  /** What backends were asked, in no protocol's terms. */
  readonly asked: readonly (Asked & { readonly protocol: Protocol })[]
  /** Clients that left before the end of their answer. */
  readonly left: () => number
  /** Sends the rest of every stream that is held. */
  release(): void
}

/**
 * Starts the model. These words of the last message of the user change what it does:
 * "status 429" answers with that status, "retry-after 7" beside it with that header, "hold" sends the first piece of a stream, or nothing
 * of a whole reply, and waits, "break" closes a stream behind its first piece, "fail" ends it there with an error, "think" lets it think first.
 * Everything else is in `say`.
 */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const asked: (Asked & { readonly protocol: Protocol })[] = []
  const held = new Set<() => void>()
  /** Items of earlier replies, as a backend of the Responses API keeps them. */
  const items = new Map<unknown, object>()
  let left = 0
  const backend = await startTestBackend(async (body, response) => {
    response.on("close", () => {
      if (!response.writableFinished) left += 1
    })
    const path = backend.requests.at(-1)?.path.split("?")[0] ?? ""
    const ends = protocols.find((each) => each.path === path)
    if (ends === undefined) return sendJson(response, { error: { message: `No such path: ${path}` } }, 404)
    const fail = (status: number, message: string, headers = {}): void =>
      sendJson(response, errorOf(ends, status, message), status, headers)
    // The vendor's service may say so too, of a conversation that it cannot hold.
    if (body["thread"] !== undefined) return sendJson(response, noThreads, 400)
    let heard: Asked
    try {
      heard = ends.heard(withItems(body, items))
    } catch (error) {
      return fail(400, `The model does not take this: ${String(error)}`)
    }
    asked.push({ ...heard, protocol: ends.protocol })
    const words = lastWords(heard)
    const status = Number(/status (\d{3})/.exec(words)?.[1] ?? 200)
    const seconds = /retry-after (\d+)/.exec(words)?.[1]
    if (status !== 200)
      return fail(status, `the backend says ${status}`, seconds === undefined ? {} : { "retry-after": seconds })
    const said = ends.holdsSaid(say(heard))
    const { output = [] } = ends.whole(said) as { readonly output?: readonly { readonly id: string }[] }
    for (const item of output) items.set(item.id, item)
    if (body["stream"] !== true) {
      if (/\bhold\b/.test(words)) await new Promise<void>((resolve) => held.add(resolve))
      return sendJson(response, ends.whole(said))
    }
    return stream({ ends, said, words, response, held })
  })
  return {
    ...backend,
    asked,
    left: () => left,
    release() {
      for (const go of held) go()
      held.clear()
    },
  }
}

const protocols: readonly Ends[] = [chatCompletions, messages, responses]

/** The body with items in the place of references to them. */
function withItems(body: Record<string, unknown>, items: ReadonlyMap<unknown, object>): object {
  const { input } = body
  if (!Array.isArray(input)) return body
  const known = input.map((item: { readonly type?: string; readonly id?: string }) =>
    item.type === "item_reference" ? (items.get(item.id) ?? item) : item,
  )
  return { ...body, input: known }
}

/** A model of a document for each protocol, on this backend. They are named after their protocols. */
export const modelsOn = ({ url, endpoint }: TestBackend, more: object = {}): readonly object[] => [
  { name: "chat_completions", ...more, backend_refs: [{ endpoint }] },
  { name: "messages", ...more, backend_refs: [{ base_url: url, provider: "anthropic", api_key: "k" }] },
  {
    name: "responses",
    ...more,
    api_format: "responses",
    backend_refs: [{ base_url: `${url}/v1`, provider: "openai", api_key: "k" }],
  },
]

const usage = { input: 20, output: 10, cached: 4, written: 0, reasoning: 0 }
const places = ["Rome", "Oslo", "Paris"]

/**
 * What the model says: it calls the first tool, once for each place that the user named; repeats results; fills schemas; knows
 * whether it saw an image; and otherwise knows one sum.
 */
function say(asked: Asked): Said {
  const last = asked.turns.at(-1)?.parts ?? []
  const words = lastWords(asked)
  const results = last.filter((part) => part.kind === "result")
  const thoughts: readonly Part[] = /\bthink\b/.test(words) ? [{ kind: "thought", text: "I look.", proof: "c2ln" }] : []
  const [tool] = asked.tools ?? []
  if (tool !== undefined && results.length === 0 && asked.choice !== "none") {
    const named = places.filter((place) => words.includes(place))
    const parts = (named.length === 0 ? ["Rome"] : named).map((place, index): Part => ({
      kind: "call",
      id: `call_${asked.turns.length}_${index}`,
      name: tool.name,
      input: JSON.stringify(sample(tool.schema, { city: place })),
    }))
    return { parts: [...thoughts, ...parts], stop: "calls", usage }
  }
  const text = (): string => {
    if (asked.schema !== undefined) return JSON.stringify(sample(asked.schema, {}))
    if (results.length > 0) return `It is ${results.map(({ parts }) => textOf(parts)).join(" and ")}.`
    if (last.some(({ kind }) => kind === "image")) return "I see a picture."
    return "No, 91 is 7 times 13."
  }
  return { parts: [...thoughts, { kind: "text", text: text() }], stop: "end", usage }
}

const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => ("text" in part ? [part.text] : [])).join(" ")

const lastWords = ({ turns }: Asked): string => textOf(turns.findLast(({ role }) => role === "user")?.parts ?? [])

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
}

/** A value of a schema; texts are known by the names of their properties. */
function sample(schema: Schema, known: Readonly<Record<string, string>>, name = ""): unknown {
  const type = typeof schema.type === "object" ? schema.type[0] : schema.type
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0], known, name)
  if (schema.enum !== undefined) return schema.enum[0]
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, each]) => [key, sample(each, known, key)]),
      )
    case "array":
      return [sample(schema.items ?? {}, known, name)]
    case "number":
    case "integer":
      return 24
    case "boolean":
      return true
    default:
      return known[name] ?? { city: "Rome", country: "Italy" }[name] ?? "text"
  }
}

interface Streamed {
  readonly ends: Ends
  readonly said: Said
  readonly words: string
  readonly response: ServerResponse
  readonly held: Set<() => void>
}

async function stream({ ends, said, words, response, held }: Streamed): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const events = ends
    .events(said)
    .split("\n\n")
    .slice(0, -1)
    .map((event) => `${event}\n\n`)
  // Behind the first piece of the text.
  const half = events.findIndex((event) => event.includes(`"No, 91 is `)) + 1
  for (const event of events.slice(0, half)) response.write(event)
  if (/\bbreak\b/.test(words)) return void response.write("", () => response.destroy())
  if (/\bfail\b/.test(words)) return void response.end(errorEventOf(ends))
  if (/\bhold\b/.test(words)) await new Promise<void>((resolve) => held.add(resolve))
  for (const event of events.slice(half)) response.write(event)
  response.end()
}

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  429: "rate_limit_error",
}

function errorOf({ protocol }: Ends, status: number, message: string): object {
  const type = types[status] ?? (protocol === "messages" ? "api_error" : "server_error")
  return protocol === "messages"
    ? { type: "error", error: { type, message } }
    : { error: { message, type, code: null, param: null } }
}

const noThreads = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "no threads here",
    details: { error_code: "thread_unsupported_request", unsupported: ["model"] },
  },
}

/** An error in the middle of a stream. */
function errorEventOf(ends: Ends): string {
  const { protocol } = ends
  if (protocol === "messages") return `event: error\ndata: ${JSON.stringify(errorOf(ends, 500, "it broke"))}\n\n`
  const body =
    protocol === "responses"
      ? { type: "error", sequence_number: 9, code: "server_error", message: "it broke", param: null }
      : errorOf(ends, 500, "it broke")
  return `${protocol === "responses" ? "event: error\n" : ""}data: ${JSON.stringify(body)}\n\n`
}
