// Both ends of the Responses API, as the vendor's documentation has them: a backend, and the vendor's own client.

import OpenAI from "openai"
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

type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming
type Item = OpenAI.Responses.ResponseInputItem
type Output = OpenAI.Responses.ResponseOutputItem

export const responses: Ends = {
  protocol: "responses",
  path: "/v1/responses",
  conversation: "input",

  holdsAsked: (asked) => leftOut(asked, "topK", "seed"),
  ask,
  heard,

  // The API has no word for a reply that calls, nor for most reasons to stop.
  holdsSaid: (said) => ({
    ...said,
    stop:
      said.stop === "limit"
        ? "limit"
        : said.stop === "filtered" || said.stop === "refused"
          ? "filtered"
          : said.parts.some(({ kind }) => kind === "call")
            ? "calls"
            : "end",
  }),
  whole: (said) => responseOf(said),
  events,

  async see(fetch, body, mode) {
    const openai = new OpenAI({ baseURL: "http://rtr.example/v1", apiKey: "k", maxRetries: 0, fetch })
    const given = body as Body
    if (mode === "json") return seen(await openai.responses.create(given))
    return seen(
      await openai.responses.stream(given as unknown as Parameters<typeof openai.responses.stream>[0]).finalResponse(),
    )
  },
}

// ── requests ──

function ask(asked: Asked): Body {
  const { turns, tools, choice, schema, effort } = asked
  return defined({
    model: "MoM",
    input: turns.flatMap(itemsOf),
    tools: tools?.map(({ name, description, schema: parameters }) =>
      defined({ type: "function", name, description, parameters, strict: false }),
    ),
    tool_choice: typeof choice === "object" ? { type: "function", ...choice } : choice,
    parallel_tool_calls: asked.single === true ? false : undefined,
    max_output_tokens: asked.limit,
    temperature: asked.temperature,
    top_p: asked.topP,
    text: schema && { format: { type: "json_schema", name: "reply", schema } },
    reasoning: effort && { effort },
    user: asked.user,
    include: asked.tokens && ["message.output_text.logprobs"],
  }) as unknown as Body
}

function itemsOf({ role, parts }: Turn): readonly Item[] {
  const items: object[] = []
  let content: object[] = []
  const flush = (): void => {
    if (content.length > 0) items.push({ type: "message", role: role === "tool" ? "user" : role, content })
    content = []
  }
  for (const part of parts) {
    const item = itemOf(part)
    if (item === undefined) content.push(partOf(part, role))
    else {
      flush()
      items.push(item)
    }
  }
  flush()
  return items as Item[]
}

function itemOf(part: Part): object | undefined {
  switch (part.kind) {
    case "thought":
      return defined({
        type: "reasoning",
        id: "rs_1",
        summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
        encrypted_content: part.proof,
      })
    case "call":
      return { type: "function_call", call_id: part.id, name: part.name, arguments: part.input }
    case "result":
      return defined({
        type: "function_call_output",
        call_id: part.id,
        output: part.parts.map((each) => partOf(each, "tool")),
        status: part.failed === true ? "incomplete" : undefined,
      })
    default:
      return undefined
  }
}

function partOf(part: Part, role: Turn["role"]): object {
  switch (part.kind) {
    case "text":
      return role === "assistant"
        ? { type: "output_text", text: part.text, annotations: [] }
        : { type: "input_text", text: part.text }
    case "refusal":
      return { type: "refusal", refusal: part.text }
    case "image":
      return { type: "input_image", image_url: part.url, detail: "auto" }
    case "pdf":
      return defined({
        type: "input_file",
        file_data: `data:application/pdf;base64,${part.data}`,
        filename: part.name,
      })
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: "wav" } }
    default:
      throw new Error(`No part of a message: ${part.kind}`)
  }
}

/** What a backend was asked. */
function heard(given: object): Asked {
  const body = given as Body
  const items = typeof body.input === "string" ? [{ role: "user" as const, content: body.input }] : (body.input ?? [])
  const turns = items.map(turnOf)
  const { tool_choice: choice, text: format, reasoning } = body
  return defined({
    turns: merged([{ role: "system", parts: partsIn(body.instructions ?? "") }, ...turns]),
    tools: body.tools?.map((tool) => {
      const { name, description, parameters } = tool as OpenAI.Responses.FunctionTool
      return defined({ name, description: description ?? undefined, schema: parameters as object })
    }),
    choice: typeof choice === "object" ? { name: (choice as OpenAI.Responses.ToolChoiceFunction).name } : choice,
    single: body.parallel_tool_calls === false ? true : undefined,
    limit: body.max_output_tokens,
    temperature: body.temperature,
    topP: body.top_p,
    schema: format?.format?.type === "json_schema" ? format.format.schema : undefined,
    effort: reasoning?.effort,
    user: body.user,
    tokens: body.include?.includes("message.output_text.logprobs") === true ? true : undefined,
  }) as Asked
}

function turnOf(item: Item): Turn {
  switch (item.type) {
    case undefined:
    case "message": {
      const { role, content } = item as OpenAI.Responses.EasyInputMessage
      return { role: role === "developer" ? "system" : role, parts: partsIn(content) }
    }
    case "function_call":
      return {
        role: "assistant",
        parts: [{ kind: "call", id: item.call_id, name: item.name, input: item.arguments }],
      }
    case "function_call_output":
      return {
        role: "tool",
        parts: [
          {
            kind: "result",
            id: String(item.call_id),
            parts: partsIn(item.output),
            ...(item.status === "incomplete" && { failed: true }),
          },
        ],
      }
    case "reasoning":
      return { role: "assistant", parts: [thoughtIn(item)] }
    default:
      throw new Error(`An item of type ${item.type}`)
  }
}

const thoughtIn = ({ summary, content, encrypted_content: proof }: OpenAI.Responses.ResponseReasoningItem): Part => ({
  kind: "thought",
  text: [...summary, ...(content ?? [])].map((part) => part.text).join("\n\n"),
  ...(typeof proof === "string" && { proof }),
})

function partsIn(content: unknown): readonly Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }]
  return (
    content as (OpenAI.Responses.ResponseInputContent | OpenAI.Responses.ResponseOutputMessage["content"][0])[]
  ).map((part): Part => {
    switch (part.type) {
      case "input_text":
      case "output_text":
        return { kind: "text", text: part.text }
      case "refusal":
        return { kind: "refusal", text: part.refusal }
      case "input_image":
        return { kind: "image", url: part.image_url ?? "" }
      case "input_file":
        return defined({
          kind: "pdf",
          data: part.file_data?.replace("data:application/pdf;base64,", "") ?? "",
          name: part.filename,
        } as Part)
      default:
        return { kind: "audio", data: (part as unknown as { input_audio: { data: string } }).input_audio.data }
    }
  })
}

// ── replies ──

const usageOf = ({ input, output, cached, written, reasoning }: Usage): object => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
})

const statusOf = (stop: Stop): string => (stop === "limit" || stop === "filtered" ? "incomplete" : "completed")

const responseOf = (said: Said): object => ({
  id: "resp_1",
  object: "response",
  created_at: 1_700_000_000,
  model: "m",
  status: statusOf(said.stop),
  error: null,
  incomplete_details:
    said.stop === "limit"
      ? { reason: "max_output_tokens" }
      : said.stop === "filtered"
        ? { reason: "content_filter" }
        : null,
  instructions: null,
  metadata: {},
  output: outputOf(said),
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: usageOf(said.usage),
})

/** The items of a reply. Texts and refusals that follow each other are one message. */
function outputOf({ parts, tokens = [] }: Said): readonly Output[] {
  const items: object[] = []
  let content: object[] | undefined
  for (const part of parts) {
    if (part.kind !== "text" && part.kind !== "refusal") {
      content = undefined
      items.push({ ...itemOf(part), id: `item_${items.length}`, status: "completed" })
      continue
    }
    if (content === undefined) {
      content = []
      items.push({ id: `item_${items.length}`, type: "message", role: "assistant", status: "completed", content })
    }
    content.push(
      part.kind === "text" ? { ...partOf(part, "assistant"), logprobs: logprobsOf(tokens) } : partOf(part, "assistant"),
    )
  }
  return items as Output[]
}

const logprobsOf = (tokens: NonNullable<Said["tokens"]>): readonly object[] =>
  tokens.map(([token, logprob]) => ({ token, logprob, bytes: [], top_logprobs: [] }))

function events(said: Said): string {
  const whole = responseOf(said)
  const begun = { ...whole, status: "in_progress", incomplete_details: null, output: [], usage: null }
  const found: object[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
  ]
  for (const [place, item] of outputOf(said).entries()) {
    const at = { item_id: item.id, output_index: place }
    found.push({ type: "response.output_item.added", output_index: place, item: beginning(item) })
    if (item.type === "message")
      for (const [index, part] of item.content.entries())
        found.push(...partEvents(part, { ...at, content_index: index }, said))
    else if (item.type === "function_call")
      found.push(
        ...pieces(item.arguments).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
        { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: item.arguments },
      )
    else if (item.type === "reasoning")
      for (const [index, part] of item.summary.entries()) {
        const here = { ...at, summary_index: index }
        found.push(
          { type: "response.reasoning_summary_part.added", ...here, part: { ...part, text: "" } },
          ...pieces(part.text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...here, delta })),
          { type: "response.reasoning_summary_text.done", ...here, text: part.text },
          { type: "response.reasoning_summary_part.done", ...here, part },
        )
      }
    found.push({ type: "response.output_item.done", output_index: place, item })
  }
  found.push({ type: `response.${statusOf(said.stop)}`, response: whole })
  return found
    .map((event, index) => namedEvent({ sequence_number: index, ...event } as unknown as { type: string }))
    .join("")
}

const beginning = (item: Output): object => ({
  ...item,
  status: "in_progress",
  ...(item.type === "message" && { content: [] }),
  ...(item.type === "function_call" && { arguments: "" }),
  ...(item.type === "reasoning" && { summary: [], encrypted_content: null }),
})

function partEvents(
  part: OpenAI.Responses.ResponseOutputMessage["content"][0],
  at: object,
  { tokens }: Said,
): readonly object[] {
  if (part.type === "refusal")
    return [
      { type: "response.content_part.added", ...at, part: { ...part, refusal: "" } },
      ...pieces(part.refusal).map((delta) => ({ type: "response.refusal.delta", ...at, delta })),
      { type: "response.refusal.done", ...at, refusal: part.refusal },
      { type: "response.content_part.done", ...at, part },
    ]
  const deltas =
    tokens === undefined
      ? pieces(part.text).map((delta) => ({ delta, logprobs: [] as readonly object[] }))
      : tokens.map((token) => ({ delta: token[0], logprobs: logprobsOf([token]) }))
  return [
    { type: "response.content_part.added", ...at, part: { ...part, text: "", logprobs: [] } },
    ...deltas.map((delta) => ({ type: "response.output_text.delta", ...at, ...delta })),
    { type: "response.output_text.done", ...at, text: part.text, logprobs: part.logprobs },
    { type: "response.content_part.done", ...at, part },
  ]
}

/** What the client has of a reply. */
function seen({ output, status, incomplete_details: details, usage }: OpenAI.Responses.Response): Seen {
  const tokens = output
    .flatMap((item) => (item.type === "message" ? item.content : []))
    .flatMap((part) => (part.type === "output_text" ? (part.logprobs ?? []) : []))
    .map(({ token, logprob }) => [token, logprob] as const)
  const parts = output.flatMap((item): readonly Part[] => {
    if (item.type === "message") return partsIn(item.content)
    if (item.type === "reasoning") return [thoughtIn(item)]
    if (item.type === "function_call")
      return [{ kind: "call", id: item.call_id, name: item.name, input: item.arguments }]
    throw new Error(`An item of type ${item.type}`)
  })
  const cut = details?.reason === "content_filter" ? "filtered" : "limit"
  const said: Said = {
    parts: without(parts, (part) => part.kind === "text" && part.text === ""),
    stop: status === "incomplete" ? cut : parts.some(({ kind }) => kind === "call") ? "calls" : "end",
    usage: {
      input: usage?.input_tokens ?? -1,
      output: usage?.output_tokens ?? -1,
      cached: usage?.input_tokens_details.cached_tokens ?? 0,
      written: usage?.input_tokens_details.cache_write_tokens ?? 0,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? 0,
    },
    ...(tokens.length > 0 && { tokens }),
  }
  return { said, back: output }
}
