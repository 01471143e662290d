// Both ends of Messages, as the vendor's documentation has them: a backend, and the vendor's own client.

import Anthropic from "@anthropic-ai/sdk"
import {
  type Asked,
  defined,
  leftOut,
  merged,
  type Part,
  pieces,
  type Said,
  type Stop,
  type Turn,
  type Usage,
  without,
} from "./conversation.ts"
import type { Ends, Seen } from "./ends.ts"
import { namedEvent } from "../fakes/event-stream.ts"

type Body = Anthropic.MessageCreateParamsNonStreaming
/** Newer models choose their own, so the client's types have none. */
interface Sampling {
  readonly temperature?: number
  readonly top_p?: number
  readonly top_k?: number
}
type Block = Anthropic.ContentBlockParam

export const messages: Ends = {
  protocol: "messages",
  path: "/v1/messages",
  conversation: "messages",

  // Instructions stand in front, and thoughts need the vendor's proof.
  holdsAsked({ turns, ...settings }) {
    const of = (wanted: (turn: Turn) => boolean): readonly Turn[] => turns.filter(wanted)
    return {
      ...leftOut(settings, "seed"),
      // The router's, which every model takes that is still served.
      limit: settings.limit ?? 32_000,
      ...(settings.single === true && { choice: settings.choice ?? "auto" }),
      turns: [...of(({ role }) => role === "system"), ...of(({ role }) => role !== "system")].map(
        ({ role, parts }) => ({
          role,
          parts: without(parts, (part) => part.kind === "thought" && part.proof === undefined).map(toText),
        }),
      ),
    }
  },
  ask,
  heard,

  // A refusal is a text and a reason to stop.
  holdsSaid({ parts, stop, usage }) {
    const refused = stop === "filtered" || parts.some(({ kind }) => kind === "refusal")
    return { parts: parts.map(toText), stop: refused && stop !== "limit" ? "refused" : stop, usage }
  },
  whole: (said) => ({ ...messageOf(said), content: said.parts.map(blockOf) }),
  events,

  async see(fetch, body, mode) {
    const anthropic = new Anthropic({ baseURL: "http://rtr.example", apiKey: "k", maxRetries: 0, fetch })
    return seen(
      mode === "json"
        ? await anthropic.messages.create(body as Body)
        : await anthropic.messages.stream(body as Body).finalMessage(),
    )
  },
}

const toText = (part: Part): Part => (part.kind === "refusal" ? { kind: "text", text: part.text } : part)

// ── requests ──

function ask(asked: Asked): Body {
  const { turns, choice, single, effort, schema, tools, user } = asked
  const system = turns.filter(({ role }) => role === "system").flatMap(({ parts }) => parts)
  const type = ({ auto: "auto", none: "none", required: "any" } as const)[typeof choice === "string" ? choice : "auto"]
  const chosen = typeof choice === "object" ? { type: "tool", ...choice } : { type }
  return defined({
    model: "MoM",
    max_tokens: asked.limit ?? 100,
    system: system.length === 0 ? undefined : system.map(blockOf),
    messages: turns
      .filter(({ role }) => role !== "system")
      .map(({ role, parts }) => ({
        role: role === "assistant" ? role : "user",
        content: contentOf(parts.map(toText)),
      })),
    tools: tools?.map(({ name, description, schema: parameters }) =>
      defined({ name, description, input_schema: parameters }),
    ),
    tool_choice:
      single === true ? { ...chosen, disable_parallel_tool_use: true } : choice === undefined ? undefined : chosen,
    temperature: asked.temperature,
    top_p: asked.topP,
    top_k: asked.topK,
    stop_sequences: asked.stop,
    thinking: effort && { type: "enabled", budget_tokens: budgets[effort] },
    output_config: schema && { format: { type: "json_schema", schema } },
    metadata: user === undefined ? undefined : { user_id: user },
  }) as Body
}

const budgets = { low: 2048, medium: 8192, high: 16_384 } as const

const contentOf = (parts: readonly Part[]): string | readonly Block[] => {
  const [first] = parts
  return parts.length === 1 && first?.kind === "text" ? first.text : (parts.map(blockOf) as Block[])
}

function blockOf(part: Part): object {
  switch (part.kind) {
    case "text":
      return { type: "text", text: part.text }
    case "thought":
      return part.text === ""
        ? { type: "redacted_thinking", data: part.proof }
        : { type: "thinking", thinking: part.text, signature: part.proof ?? "" }
    case "image": {
      const [, mediaType, data] = /^data:([^;]+);base64,(.*)$/.exec(part.url) ?? []
      return {
        type: "image",
        source: data === undefined ? { type: "url", url: part.url } : { type: "base64", media_type: mediaType, data },
      }
    }
    case "pdf":
      return defined({
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: part.data },
        title: part.name,
      })
    case "call":
      return { type: "tool_use", id: part.id, name: part.name, input: JSON.parse(part.input) as unknown }
    case "result":
      return defined({
        type: "tool_result",
        tool_use_id: part.id,
        content: part.parts.length === 0 ? undefined : contentOf(part.parts),
        is_error: part.failed,
      })
    default:
      throw new Error(`No block: ${part.kind}`)
  }
}

/** What a backend was asked. */
function heard(given: object): Asked {
  const body = given as Body & Sampling
  checkOrder(body.messages)
  const turns = body.messages.flatMap(({ role, content }): readonly Turn[] => {
    const parts = partsIn(content)
    if (role === "assistant") return [{ role, parts }]
    return [
      { role: "tool", parts: parts.filter(({ kind }) => kind === "result") },
      { role: "user", parts: parts.filter(({ kind }) => kind !== "result") },
    ]
  })
  const { tool_choice: choice, thinking, output_config: config } = body
  const budget = thinking?.type === "enabled" ? thinking.budget_tokens : undefined
  if (budget !== undefined && budget >= body.max_tokens) throw new Error("A budget that leaves no room")
  const given_ = choice?.type === "any" ? "required" : choice?.type === "tool" ? { name: choice.name } : choice?.type
  return defined({
    turns: merged([{ role: "system", parts: partsIn(body.system ?? []) }, ...turns]),
    tools: body.tools?.map((tool) => {
      const { name, description, input_schema: schema } = tool as Anthropic.Tool
      return defined({ name, description, schema })
    }),
    choice: given_,
    single: choice !== undefined && "disable_parallel_tool_use" in choice ? true : undefined,
    limit: body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stop: body.stop_sequences,
    schema: config?.format?.schema,
    effort: Object.entries(budgets).find(([, tokens]) => tokens === budget)?.[0],
    user: body.metadata?.user_id ?? undefined,
  }) as Asked
}

/** All results of a turn of calls stand first in the message behind it, and no message is empty. */
function checkOrder(given: readonly Anthropic.MessageParam[]): void {
  let open: readonly string[] = []
  for (const { role, content } of given) {
    const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content
    if (blocks.length === 0 || blocks.some((block) => block.type === "text" && block.text === ""))
      throw new Error("An empty message or text")
    const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []))
    if (JSON.stringify(results.toSorted()) !== JSON.stringify(open.toSorted()))
      throw new Error(`The results ${results.join()} answer the calls ${open.join()}`)
    if (results.some((_, index) => blocks[index]?.type !== "tool_result")) throw new Error("A text before the results")
    open = role === "assistant" ? blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) : []
  }
}

function partsIn(content: string | readonly (Block | Anthropic.ContentBlock)[]): readonly Part[] {
  if (typeof content === "string") return [{ kind: "text", text: content }]
  return content.map((block): Part => {
    switch (block.type) {
      case "text":
        return { kind: "text", text: block.text }
      case "thinking":
        return { kind: "thought", text: block.thinking, proof: block.signature }
      case "redacted_thinking":
        return { kind: "thought", text: "", proof: block.data }
      case "image": {
        const { source } = block
        return {
          kind: "image",
          url:
            source.type === "base64"
              ? `data:${source.media_type};base64,${source.data}`
              : source.type === "url"
                ? source.url
                : "",
        }
      }
      case "document":
        return defined({
          kind: "pdf",
          data: block.source.type === "base64" ? block.source.data : "",
          name: block.title ?? undefined,
        } as Part)
      case "tool_use":
        return { kind: "call", id: block.id, name: block.name, input: JSON.stringify(block.input) }
      case "tool_result":
        return {
          kind: "result",
          id: block.tool_use_id,
          parts: partsIn((block.content ?? []) as readonly Block[]),
          ...(block.is_error === true && { failed: true }),
        }
      default:
        throw new Error(`A block of type ${block.type}`)
    }
  })
}

// ── replies ──

const reasons: Readonly<Partial<Record<Stop, Anthropic.StopReason>>> = {
  end: "end_turn",
  limit: "max_tokens",
  calls: "tool_use",
  refused: "refusal",
  sequence: "stop_sequence",
  paused: "pause_turn",
}

const usageOf = ({ input, output, cached, written, reasoning }: Usage): object => ({
  input_tokens: input - cached - written,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: written,
  output_tokens: output,
  output_tokens_details: { thinking_tokens: reasoning },
})

const messageOf = ({ stop, usage }: Said): object => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  stop_reason: reasons[stop],
  stop_sequence: stop === "sequence" ? "X" : null,
  usage: usageOf(usage),
})

function events(said: Said): string {
  const message = { ...messageOf({ ...said, usage: { ...said.usage, output: 1 } }), content: [], stop_reason: null }
  const blocks = said.parts.flatMap((part, index) => {
    const begin = (block: object): object => ({ type: "content_block_start", index, content_block: block })
    const more = (delta: object): object => ({ type: "content_block_delta", index, delta })
    const block = blockOf(part)
    const inner =
      part.kind === "text"
        ? [
            begin({ type: "text", text: "" }),
            ...pieces(part.text).map((piece) => more({ type: "text_delta", text: piece })),
          ]
        : part.kind === "thought" && part.text !== ""
          ? [
              begin({ type: "thinking", thinking: "", signature: "" }),
              ...pieces(part.text).map((piece) => more({ type: "thinking_delta", thinking: piece })),
              more({ type: "signature_delta", signature: part.proof ?? "" }),
            ]
          : part.kind === "call"
            ? [
                begin({ ...block, input: {} }),
                ...["", ...pieces(part.input)].map((piece) => more({ type: "input_json_delta", partial_json: piece })),
              ]
            : [begin(block)]
    return [...inner, { type: "content_block_stop", index }]
  })
  const { stop_reason, stop_sequence } = messageOf(said) as Anthropic.Message
  return [
    { type: "message_start", message },
    { type: "ping" },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: usageOf(said.usage) },
    { type: "message_stop" },
  ]
    .map((event) => namedEvent(event as { type: string }))
    .join("")
}

/** What the client has of a reply. */
function seen({ content, stop_reason: reason, usage }: Anthropic.Message): Seen {
  const cached = usage.cache_read_input_tokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  const said: Said = {
    parts: partsIn(content),
    stop: Object.entries(reasons).find(([, value]) => value === reason)?.[0] as Stop,
    usage: {
      input: usage.input_tokens + cached + written,
      output: usage.output_tokens,
      cached,
      written,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  }
  return { said, back: [{ role: "assistant", content }] }
}
