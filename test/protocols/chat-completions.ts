// Both ends of chat completions, as the vendor's documentation has them: a backend, and the vendor's own client.

import OpenAI from "openai"
import {
  type Asked,
  defined,
  merged,
  type Part,
  pieces,
  type Said,
  type Stop,
  type Turn,
  without,
} from "./conversation.ts"
import type { Ends, Seen } from "./ends.ts"

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming
type Streamed = Parameters<OpenAI["chat"]["completions"]["stream"]>[0]
type Message = OpenAI.ChatCompletionMessageParam

const client = (fetch: typeof globalThis.fetch): OpenAI =>
  new OpenAI({ baseURL: "http://rtr.example/v1", apiKey: "k", maxRetries: 0, fetch })

export const chatCompletions: Ends = {
  protocol: "chat_completions",
  path: "/v1/chat/completions",
  conversation: "messages",

  holdsAsked: (asked) => ({ ...asked, turns: asked.turns.map(heldTurn) }),
  ask,
  heard,

  // A message has one reasoning without proof, one text, one refusal and calls. The reasons to stop are four.
  holdsSaid: (said) => ({
    ...said,
    parts: joined(without(said.parts, hasNoWords).map(heldPart)),
    stop:
      ({ sequence: "end", paused: "end", refused: "filtered" } as Partial<Record<Stop, Stop>>)[said.stop] ?? said.stop,
    usage: { ...said.usage, written: 0 },
  }),
  whole,
  events,

  async see(fetch, body, mode) {
    const { completions } = client(fetch).chat
    if (mode === "json") return seen(await completions.create(body as unknown as Body))
    const runner = completions.stream({ ...(body as Streamed), stream_options: { include_usage: true } })
    // The helper knows nothing of reasoning and keeps the last piece.
    let reasoning = ""
    runner.on("chunk", ({ choices }) => {
      reasoning += (choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? ""
    })
    const reply = await runner.finalChatCompletion()
    const [choice] = reply.choices
    const message = { ...choice?.message, ...(reasoning !== "" && { reasoning_content: reasoning }) }
    return seen({ ...reply, choices: [{ ...choice, message }] } as OpenAI.ChatCompletion)
  },
}

/** A result cannot say that the tool failed, and what the model thought has no proof. */
const heldTurn = ({ role, parts }: Turn): Turn => ({ role, parts: parts.map(heldPart) })
/** In the order of the message's fields. */
function joined(parts: readonly Part[]): readonly Part[] {
  const all = (kind: "thought" | "text" | "refusal", between: string): readonly Part[] => {
    const texts = parts.flatMap((part) => (part.kind === kind ? [part.text] : []))
    return texts.length === 0 ? [] : [{ kind, text: texts.join(between) }]
  }
  return [
    ...all("thought", "\n\n"),
    ...all("text", ""),
    ...all("refusal", ""),
    ...parts.filter(({ kind }) => kind === "call"),
  ]
}

const hasNoWords = (part: Part): boolean => part.kind === "thought" && part.text === ""
const heldPart = (part: Part): Part => {
  if (part.kind === "result") return { kind: part.kind, id: part.id, parts: part.parts.map(heldPart) }
  return part.kind === "thought" ? { kind: part.kind, text: part.text } : part
}

// ── requests ──

function ask(asked: Asked): Body {
  const { tools, choice, schema, temperature, topP, seed, user } = asked
  return defined({
    model: "MoM",
    messages: asked.turns.flatMap(messagesOf),
    tools: tools?.map(({ name, description, schema: parameters }) => ({
      type: "function" as const,
      function: defined({ name, description, parameters: parameters as Record<string, unknown> }),
    })),
    tool_choice: typeof choice === "object" ? { type: "function" as const, function: choice } : choice,
    parallel_tool_calls: asked.single === true ? false : undefined,
    max_completion_tokens: asked.limit,
    temperature,
    top_p: topP,
    top_k: asked.topK,
    stop: asked.stop as string[] | undefined,
    seed,
    response_format: schema && {
      type: "json_schema" as const,
      json_schema: { name: "reply", schema: schema as Record<string, unknown> },
    },
    reasoning_effort: asked.effort,
    user,
    logprobs: asked.tokens,
  }) as Body
}

function messagesOf({ role, parts }: Turn): readonly Message[] {
  if (role === "tool")
    return parts.map((part) => ({
      role,
      tool_call_id: part.kind === "result" ? part.id : "",
      content: contentOf(part.kind === "result" ? part.parts : []) as string,
    }))
  if (role !== "assistant") return [{ role, content: contentOf(parts) } as Message]
  const [thought, refusal] = (["thought", "refusal"] as const).map((kind) => textsOf(parts, kind))
  const calls = parts.flatMap((part) =>
    part.kind === "call"
      ? [{ id: part.id, type: "function" as const, function: { name: part.name, arguments: part.input } }]
      : [],
  )
  const said = without(parts, ({ kind }) => kind === "thought" || kind === "refusal" || kind === "call")
  return [
    {
      role,
      content: said.length === 0 ? null : (contentOf(said) as string),
      ...(thought !== "" && { reasoning_content: thought }),
      ...(refusal !== "" && { refusal }),
      ...(calls.length > 0 && { tool_calls: calls }),
    } as Message,
  ]
}

const textsOf = (parts: readonly Part[], kind: Part["kind"]): string =>
  parts.flatMap((part) => (part.kind === kind && "text" in part ? [part.text] : [])).join("")

function contentOf(parts: readonly Part[]): unknown {
  const [first] = parts
  if (parts.length === 1 && first?.kind === "text") return first.text
  return parts.map((part) => {
    switch (part.kind) {
      case "text":
        return { type: "text", text: part.text }
      case "image":
        return { type: "image_url", image_url: { url: part.url } }
      case "pdf":
        return {
          type: "file",
          file: defined({ file_data: `data:application/pdf;base64,${part.data}`, filename: part.name }),
        }
      case "audio":
        return { type: "input_audio", input_audio: { data: part.data, format: "wav" } }
      default:
        throw new Error(`No part of a content: ${part.kind}`)
    }
  })
}

/** What a backend was asked. */
function heard(given: object): Asked {
  const body = given as Body & { readonly top_k?: number }
  const turns = body.messages.map((message): Turn => {
    const { role, content } = message as { role: string; content: unknown }
    if (message.role === "tool")
      return { role: "tool", parts: [{ kind: "result", id: message.tool_call_id, parts: partsIn(content) }] }
    const {
      reasoning_content: thought,
      refusal,
      tool_calls: calls,
    } = message as {
      reasoning_content?: string
      refusal?: string | null
      tool_calls?: OpenAI.ChatCompletionMessageFunctionToolCall[]
    }
    return {
      role: role === "developer" ? "system" : (role as Turn["role"]),
      parts: [
        ...(thought === undefined ? [] : [{ kind: "thought" as const, text: thought }]),
        ...partsIn(content),
        ...(refusal ? [{ kind: "refusal" as const, text: refusal }] : []),
        ...(calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
          kind: "call" as const,
          id,
          name,
          input,
        })),
      ],
    }
  })
  checkOrder(body.messages)
  const { tool_choice: choice, response_format: format } = body
  return defined({
    turns: merged(turns),
    tools: body.tools?.map((tool) => {
      const { name, description, parameters } = (tool as OpenAI.ChatCompletionFunctionTool).function
      return defined({ name, description, schema: parameters as object })
    }),
    choice: typeof choice === "object" ? (choice as OpenAI.ChatCompletionNamedToolChoice).function : choice,
    single: body.parallel_tool_calls === false ? true : undefined,
    limit: body.max_completion_tokens ?? body.max_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    stop: typeof body.stop === "string" ? [body.stop] : body.stop,
    seed: body.seed,
    schema: format?.type === "json_schema" ? format.json_schema.schema : undefined,
    effort: body.reasoning_effort,
    user: body.user,
    tokens: body.logprobs,
  }) as Asked
}

/** Results follow the message that called, and every call has one. */
function checkOrder(messages: readonly Message[]): void {
  let open = new Set<string>()
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) throw new Error(`A result without its call: ${message.tool_call_id}`)
      continue
    }
    if (open.size > 0) throw new Error(`A call without its result: ${[...open].join()}`)
    if (message.role === "assistant") open = new Set(message.tool_calls?.map(({ id }) => id))
  }
}

function partsIn(content: unknown): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }]
  return ((content ?? []) as OpenAI.ChatCompletionContentPart[]).map((part): Part => {
    switch (part.type) {
      case "text":
        return { kind: "text", text: part.text }
      case "image_url":
        return { kind: "image", url: part.image_url.url }
      case "file":
        return defined({
          kind: "pdf",
          data: part.file.file_data?.replace("data:application/pdf;base64,", "") ?? "",
          name: part.file.filename,
        } as Part)
      case "input_audio":
        return { kind: "audio", data: part.input_audio.data }
      default:
        throw new Error("A part of unknown type")
    }
  })
}

// ── replies ──

const reasons: Readonly<Partial<Record<Stop, OpenAI.ChatCompletion.Choice["finish_reason"]>>> = {
  end: "stop",
  limit: "length",
  calls: "tool_calls",
  filtered: "content_filter",
}

const head = { id: "chatcmpl-1", created: 1_700_000_000, model: "m" }
const usageOf = ({ usage }: Said): OpenAI.CompletionUsage => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
})
const logprobsOf = (tokens: Said["tokens"]): OpenAI.ChatCompletion.Choice.Logprobs | null =>
  tokens === undefined
    ? null
    : { content: tokens.map(([token, logprob]) => ({ token, logprob, bytes: null, top_logprobs: [] })), refusal: null }

function whole(said: Said): object {
  const { parts, stop } = said
  const [content, refusal, thought] = (["text", "refusal", "thought"] as const).map((kind) => textsOf(parts, kind))
  const calls = parts.flatMap((part) =>
    part.kind === "call"
      ? [{ id: part.id, type: "function" as const, function: { name: part.name, arguments: part.input } }]
      : [],
  )
  const message: OpenAI.ChatCompletionMessage = {
    role: "assistant",
    content: content === "" ? null : (content as string),
    refusal: refusal === "" ? null : (refusal as string),
    ...(thought !== "" && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  const reply: OpenAI.ChatCompletion = {
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: logprobsOf(said.tokens), finish_reason: reasons[stop] ?? "stop" }],
    usage: usageOf(said),
  }
  return reply
}

function events(said: Said): string {
  type Delta = OpenAI.ChatCompletionChunk.Choice.Delta & { readonly reasoning_content?: string }
  const chunks: OpenAI.ChatCompletionChunk[] = []
  const add = (delta: Delta, more: Partial<OpenAI.ChatCompletionChunk.Choice> = {}): void => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: null, ...more }]
    chunks.push({ ...head, object: "chat.completion.chunk", choices })
  }
  add({ role: "assistant", content: "", refusal: null })
  let place = 0
  for (const part of said.parts) {
    if (part.kind === "call") {
      const index = place++
      add({ tool_calls: [{ index, id: part.id, type: "function", function: { name: part.name, arguments: "" } }] })
      for (const piece of pieces(part.input)) add({ tool_calls: [{ index, function: { arguments: piece } }] })
    } else if (part.kind === "thought") for (const piece of pieces(part.text)) add({ reasoning_content: piece })
    else if (part.kind === "refusal") for (const piece of pieces(part.text)) add({ refusal: piece })
    else if (part.kind === "text" && said.tokens !== undefined)
      for (const token of said.tokens) add({ content: token[0] }, { logprobs: logprobsOf([token]) })
    else if (part.kind === "text") for (const piece of pieces(part.text)) add({ content: piece })
  }
  add({}, { finish_reason: reasons[said.stop] ?? "stop" })
  chunks.push({ ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(said) })
  return [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("")
}

/** What the client has of a reply. */
function seen({ choices: [choice], usage }: OpenAI.ChatCompletion): Seen {
  if (choice === undefined) throw new Error("A reply without a choice")
  const { message, finish_reason: reason, logprobs } = choice
  const { reasoning_content: thought } = message as { reasoning_content?: string | null }
  const stop = Object.entries(reasons).find(([, value]) => value === reason)?.[0] as Stop
  const tokens = logprobs?.content?.map(({ token, logprob }) => [token, logprob] as const)
  const said: Said = {
    parts: [
      ...(thought ? [{ kind: "thought" as const, text: thought }] : []),
      ...(message.content ? [{ kind: "text" as const, text: message.content }] : []),
      ...(message.refusal ? [{ kind: "refusal" as const, text: message.refusal }] : []),
      ...(message.tool_calls ?? []).map((each) => {
        if (each.type !== "function") throw new Error("A call of no function")
        return { kind: "call" as const, id: each.id, name: each.function.name, input: each.function.arguments }
      }),
    ],
    stop,
    usage: {
      input: usage?.prompt_tokens ?? -1,
      output: usage?.completion_tokens ?? -1,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
      written: 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    ...(tokens !== undefined && tokens.length > 0 && { tokens }),
  }
  return { said, back: [message] }
}
