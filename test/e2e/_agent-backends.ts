// Backends for coding agents: one for each protocol. They play a script of calls and at last say a text, in pieces.

import type { ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { namedEvent } from "../fakes/event-stream.ts"
import { startTestBackend, type TestBackend } from "./_processes.ts"

/** What a script calls. A tool that takes free text gets `input` as it is, every other one gets it as JSON. */
export interface ScriptedCall {
  readonly tool: string
  readonly input: object | string
}

/** One answer: thoughts, and a call or words. */
interface Answer {
  readonly id: string
  readonly thought?: string
  readonly call?: ScriptedCall & { readonly id: string; readonly isFreeText: boolean }
  readonly words?: readonly string[]
}

/** What a request says of the script so far. */
interface Progress {
  /** Names of the tools; those that take free text too. */
  readonly tools: readonly string[]
  readonly freeText: readonly string[]
  readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: unknown }[]
  readonly results: readonly { readonly id: string; readonly text: string }[]
  /** Thoughts with their vendor's seal that came back. */
  readonly sealed: readonly string[]
}

export interface Protocol {
  /** Keys of the model in the document. */
  readonly model: (backend: TestBackend) => object
  readonly progressOf: (body: Body) => Progress
  /** Events of the stream, each whole. */
  readonly stream: (answer: Answer) => readonly string[]
}

export type Body = Record<string, unknown>
type Item = Readonly<Record<string, unknown>>
const list = (value: unknown): readonly Item[] => (Array.isArray(value) ? (value as Item[]) : [])
const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : list(value)
        .map(({ text }) => (typeof text === "string" ? text : ""))
        .join("\n")
const parsed = (text: unknown): unknown => JSON.parse(String(text)) as unknown
const inputText = ({ input, isFreeText }: { input: object | string; isFreeText: boolean }): string =>
  isFreeText ? String(input) : JSON.stringify(input)
/** In pieces, so that somebody has to put them together. */
const pieces = (text: string): readonly string[] => text.match(/.{1,12}/gsu) ?? [""]
const sealOf = (id: string): string => `sealed+${id}==`

// ── chat completions ──

const chatCompletions: Protocol = {
  model: ({ endpoint }) => ({ backend_refs: [{ endpoint }] }),
  progressOf: ({ tools, messages }) => ({
    tools: list(tools).map((tool) => String(((tool["function"] ?? tool["custom"]) as Item)["name"])),
    freeText: list(tools).flatMap(({ type, custom }) => (type === "custom" ? [String((custom as Item)["name"])] : [])),
    calls: list(messages).flatMap(({ tool_calls: calls }) =>
      list(calls).map(({ id, function: plain, custom }) => ({
        id: String(id),
        tool: String(((plain ?? custom) as Item)["name"]),
        input: plain === undefined ? (custom as Item)["input"] : parsed((plain as Item)["arguments"]),
      })),
    ),
    results: list(messages)
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id, content }) => ({ id: String(id), text: textOf(content) })),
    sealed: [],
  }),
  stream({ id, thought, call, words }) {
    const chunk = (choices: readonly object[], more: object = {}): string =>
      `data: ${JSON.stringify({ id, object: "chat.completion.chunk", created: 5, model: "m", choices, ...more })}\n\n`
    const delta = (fields: object, finish: string | null = null): string =>
      chunk([{ index: 0, delta: fields, finish_reason: finish }])
    const called = (fields: object): string => delta({ tool_calls: [{ index: 0, ...fields }] })
    const form = call?.isFreeText === true ? "custom" : "function"
    const field = call?.isFreeText === true ? "input" : "arguments"
    return [
      delta({ role: "assistant", content: "" }),
      ...(thought === undefined ? [] : [delta({ reasoning_content: thought })]),
      ...(words ?? []).map((content) => delta({ content })),
      ...(call === undefined
        ? []
        : [
            called({ id: call.id, type: form, [form]: { name: call.tool, [field]: "" } }),
            ...pieces(inputText(call)).map((piece) => called({ [form]: { [field]: piece } })),
          ]),
      delta({}, call === undefined ? "stop" : "tool_calls"),
      chunk([], { usage: { prompt_tokens: 90, completion_tokens: 9, total_tokens: 99 } }),
      "data: [DONE]\n\n",
    ]
  },
}

// ── Responses ──

const responses: Protocol = {
  model: ({ url }) => ({
    api_format: "responses",
    backend_refs: [{ provider: "openai", base_url: `${url}/v1`, api_key: "k" }],
  }),
  progressOf: ({ tools, input }) => ({
    tools: list(tools).flatMap(({ name, type, tools: inner }) =>
      type === "namespace"
        ? list(inner).map((each) => `${String(name)}__${String(each["name"])}`)
        : [String(name ?? type)],
    ),
    freeText: list(tools).flatMap(({ type, name }) => (type === "custom" ? [String(name)] : [])),
    calls: list(input)
      .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
      .map(({ type, call_id: id, namespace, name, arguments: text, input: free }) => ({
        id: String(id),
        tool: [...(typeof namespace === "string" ? [namespace] : []), name].join("__"),
        input: type === "function_call" ? parsed(text) : free,
      })),
    results: list(input)
      .filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output")
      .map(({ call_id: id, output }) => ({ id: String(id), text: textOf(output) })),
    sealed: list(input).flatMap(({ encrypted_content: seal }) => (typeof seal === "string" ? [seal] : [])),
  }),
  stream({ id, thought, call, words }) {
    let number = 0
    const event = (type: string, fields: object): string => namedEvent({ type, ...fields, sequence_number: number++ })
    const response = (status: string, output: readonly object[]): object => ({
      response: {
        id: `resp_${id}`,
        object: "response",
        created_at: 5,
        model: "m",
        status,
        output,
        ...(status === "completed" && {
          usage: {
            input_tokens: 90,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 9,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 99,
          },
        }),
      },
    })
    const output: object[] = []
    const item = (whole: Item, empty: object, between: (at: object) => readonly string[]): readonly string[] => {
      const at = { output_index: output.length, item_id: whole["id"] }
      output.push(whole)
      return [
        event("response.output_item.added", { output_index: at.output_index, item: { ...whole, ...empty } }),
        ...between(at),
        event("response.output_item.done", { output_index: at.output_index, item: whole }),
      ]
    }
    const written: string[] = [event("response.created", response("in_progress", []))]
    if (thought !== undefined) {
      const summary = { type: "summary_text", text: thought }
      const reasoning = { type: "reasoning", id: `rs_${id}`, summary: [summary], encrypted_content: sealOf(id) }
      written.push(
        ...item(reasoning, { summary: [] }, (at) => [
          event("response.reasoning_summary_part.added", { ...at, summary_index: 0, part: { ...summary, text: "" } }),
          event("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta: thought }),
          event("response.reasoning_summary_text.done", { ...at, summary_index: 0, text: thought }),
          event("response.reasoning_summary_part.done", { ...at, summary_index: 0, part: summary }),
        ]),
      )
    }
    if (words !== undefined) {
      const part = { type: "output_text", text: words.join(""), annotations: [] }
      const message = { type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content: [part] }
      written.push(
        ...item(message, { content: [], status: "in_progress" }, (at) => [
          event("response.content_part.added", { ...at, content_index: 0, part: { ...part, text: "" } }),
          ...words.map((delta) =>
            event("response.output_text.delta", { ...at, content_index: 0, delta, logprobs: [] }),
          ),
          event("response.output_text.done", { ...at, content_index: 0, text: part.text, logprobs: [] }),
          event("response.content_part.done", { ...at, content_index: 0, part }),
        ]),
      )
    }
    if (call !== undefined) {
      const text = inputText(call)
      const [type, field, name] = call.isFreeText
        ? (["custom_tool_call", "input", "custom_tool_call_input"] as const)
        : (["function_call", "arguments", "function_call_arguments"] as const)
      // "space__tool" is a tool in a namespace.
      const [tool, namespace] = call.tool.split("__").toReversed()
      const names = { name: tool, ...(namespace !== undefined && { namespace }) }
      const whole = { type, id: `fc_${id}`, call_id: call.id, ...names, [field]: text, status: "completed" }
      written.push(
        ...item(whole, { [field]: "", status: "in_progress" }, (at) => [
          ...pieces(text).map((delta) => event(`response.${name}.delta`, { ...at, delta })),
          event(`response.${name}.done`, { ...at, [field]: text }),
        ]),
      )
    }
    written.push(event("response.completed", response("completed", output)))
    return written
  },
}

// ── Messages ──

const messages: Protocol = {
  model: ({ url }) => ({ backend_refs: [{ provider: "anthropic", base_url: url, api_key: "k" }] }),
  progressOf(body) {
    const blocks = list(body["messages"]).flatMap(({ content }) => list(content))
    return {
      tools: list(body["tools"]).map(({ name }) => String(name)),
      freeText: [],
      calls: blocks
        .filter(({ type }) => type === "tool_use")
        .map(({ id, name, input }) => ({ id: String(id), tool: String(name), input })),
      results: blocks
        .filter(({ type }) => type === "tool_result")
        .map(({ tool_use_id: id, content }) => ({ id: String(id), text: textOf(content) })),
      sealed: blocks.flatMap(({ signature }) => (typeof signature === "string" ? [signature] : [])),
    }
  },
  stream({ id, thought, call, words }) {
    const written = [
      namedEvent({
        type: "message_start",
        message: {
          id: `msg_${id}`,
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 90, output_tokens: 1 },
        },
      }),
    ]
    let index = 0
    const block = (start: object, deltas: readonly object[]): void => {
      written.push(
        namedEvent({ type: "content_block_start", index, content_block: start }),
        ...deltas.map((delta) => namedEvent({ type: "content_block_delta", index, delta })),
        namedEvent({ type: "content_block_stop", index }),
      )
      index += 1
    }
    if (thought !== undefined)
      block({ type: "thinking", thinking: "", signature: "" }, [
        { type: "thinking_delta", thinking: thought },
        { type: "signature_delta", signature: sealOf(id) },
      ])
    if (words !== undefined)
      block(
        { type: "text", text: "" },
        words.map((text) => ({ type: "text_delta", text })),
      )
    if (call !== undefined)
      block(
        { type: "tool_use", id: call.id, name: call.tool, input: {} },
        pieces(inputText(call)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      )
    const reason = call === undefined ? "end_turn" : "tool_use"
    written.push(
      namedEvent({
        type: "message_delta",
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
      namedEvent({ type: "message_stop" }),
    )
    return written
  },
}

export const protocols = { "chat completions": chatCompletions, Responses: responses, Messages: messages } as const

// ── the script ──

/** The last words. The first of them stands alone in its event. */
export const farewell = ["Everything-is", " written", " down."] as const

export interface ScriptedBackend extends TestBackend {
  /** What the last request of the conversation said. */
  readonly progress: () => Progress
}

export interface Script {
  readonly calls: readonly ScriptedCall[]
  /** Resolves when the client has the first of the last words; the rest is held back until then. */
  readonly clientHas: (text: string) => Promise<void>
}

/** Answers a request by the number of results that it brings; one without tools, as for a title, by two words. */
export async function startScriptedBackend(protocol: Protocol, { calls, clientHas }: Script): Promise<ScriptedBackend> {
  const play = async (body: Body, response: ServerResponse): Promise<void> => {
    const { tools, freeText, results } = protocol.progressOf(body)
    const id = `turn${results.length}`
    const call = calls[results.length]
    response.writeHead(200, { "content-type": "text/event-stream" })
    const isAside = tools.length === 0
    const answer: Answer = isAside
      ? { id: "aside", words: ["A title"] }
      : call === undefined
        ? { id, words: farewell }
        : {
            id,
            thought: `What ${call.tool} shows helps.`,
            call: { ...call, id: `call_${results.length}`, isFreeText: freeText.includes(call.tool) },
          }
    for (const event of protocol.stream(answer)) {
      response.write(event)
      if (!isAside && call === undefined && event.includes(farewell[0])) await clientHas(farewell[0])
      await sleep(2)
    }
    response.end()
  }
  const backend = await startTestBackend((body, response) => play(body, response))
  return {
    ...backend,
    progress() {
      const all = backend.requests.map(({ body }) => protocol.progressOf(body)).filter(({ tools }) => tools.length > 0)
      return all.reduce((most, each) => (each.results.length >= most.results.length ? each : most))
    },
  }
}
