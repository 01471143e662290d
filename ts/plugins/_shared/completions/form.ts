// Replies to clients of the older completions API, whole and streamed.

import {
  type Block,
  type ChatEvent,
  type ChatRequest,
  type ReplyChoice,
  type ReplyForm,
  type StopReason,
  type StreamWriter,
  type TokenLogprob,
  type Usage,
  type WireObject,
} from "../../../kernel/index.ts"
import { hasFields, isObject } from "../dialect/wire.ts"
import { completionEvent } from "./schemas.ts"

export const completionForm: ReplyForm = {
  streamType: "text/event-stream; charset=utf-8",
  errorsOf: "chat_completions",
  event: completionEvent,
  writeReply({ id, created, model, choices, usage }, metadata) {
    return JSON.stringify({
      id,
      object: "text_completion",
      created,
      model,
      choices: choices.map(writeChoice),
      ...(usage !== undefined && { usage: writeUsage(usage) }),
      ...(hasFields(metadata) && { routing_metadata: metadata }),
    })
  },
  writer: createWriter,
}

function writeChoice({ blocks, stop, logprobs }: ReplyChoice, index: number): WireObject {
  const text = blocks.map(textIn).join("")
  return {
    text,
    index,
    logprobs: logprobs === undefined ? null : writeLogprobs(logprobs, 0),
    finish_reason: reasonOf(stop),
  }
}

/** This API has one text for each choice; what a model thinks is no part of it. */
const textIn = (block: Block): string => (block.type === "text" || block.type === "refusal" ? block.text : "")

function reasonOf(stop: StopReason): string {
  if (stop === "refusal") return "content_filter"
  return stop === "length" || stop === "content_filter" ? stop : "stop"
}

const writeUsage = ({ inputTokens, outputTokens }: Usage): WireObject => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
})

/** The offset of the first of these tokens in the text of their choice is `offset`. */
function writeLogprobs(tokens: readonly TokenLogprob[], offset: number): WireObject {
  let at = offset
  return {
    tokens: tokens.map(({ token }) => token),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: tokens.map(({ top }) =>
      top.length === 0 ? null : Object.fromEntries(top.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: tokens.map(({ token }) => {
      at += token.length
      return at - token.length
    }),
  }
}

/** A writer for one stream. Tokens are counted for a client that asked for it. */
function createWriter({ extensions }: ChatRequest): StreamWriter {
  const options = extensions["stream_options"]
  const tellsUsage = isObject(options) && options["include_usage"] === true
  let head: WireObject = { id: "", object: "text_completion", created: 0, model: "" }
  /** Blocks whose text belongs to the completion. */
  const texts = new Set<string>()
  /** Length of each choice so far. */
  const lengths = new Map<number, number>()

  const pieceOf = (index: number, text: string, more: WireObject = {}): WireObject => ({
    ...head,
    choices: [{ text, index, logprobs: null, finish_reason: null, ...more }],
  })

  /** The data of an event; undefined for one that says nothing here. */
  const dataOf = (event: ChatEvent): WireObject | undefined => {
    switch (event.type) {
      case "start":
        head = { ...head, id: event.id, created: event.created, model: event.model }
        return undefined
      case "block_start":
        if (event.block.type === "text" || event.block.type === "refusal") texts.add(`${event.choice}.${event.index}`)
        return undefined
      case "block_delta": {
        const { choice, index, text, logprobs } = event
        if (!texts.has(`${choice}.${index}`)) return undefined
        const offset = lengths.get(choice) ?? 0
        lengths.set(choice, offset + text.length)
        return pieceOf(choice, text, logprobs === undefined ? {} : { logprobs: writeLogprobs(logprobs, offset) })
      }
      case "stop":
        return pieceOf(event.choice, "", { finish_reason: reasonOf(event.reason) })
      case "usage":
        return tellsUsage ? { ...head, choices: [], usage: writeUsage(event.usage) } : undefined
      case "failed":
        return { error: { message: event.message, type: "server_error", code: event.code ?? null, param: null } }
      default:
        return undefined
    }
  }

  return {
    write(events) {
      let out = ""
      for (const event of events) {
        const data = dataOf(event)
        if (data !== undefined) out += `data: ${JSON.stringify(data)}\n\n`
        // Keeps a connection open on which nothing else is sent.
        else if (event.type === "ping") out += ": ping\n\n"
      }
      return encoder.encode(out)
    },
    end: () => encoder.encode("data: [DONE]\n\n"),
  }
}

const encoder = new TextEncoder()
