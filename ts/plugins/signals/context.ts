// Matches the size of the whole request in tokens.

import { type ChatMessage, type ChatRequest, defineSignal, type Fact, Type } from "../../kernel/index.ts"

const size = Type.Unsafe<string | number>({
  type: ["string", "number"],
  pattern: "^[0-9]+(\\.[0-9]+)?[KkMm]?$",
  minimum: 0,
  description: "Tokens; K is a thousand, M a million",
})

const rule = Type.Object({ min_tokens: Type.Optional(size), max_tokens: Type.Optional(size) })

// What parts of a request that are no prose count as.
const tokensPerImage = 8192
const tokensPerMessage = 4
const tokensPerTool = 8

export default defineSignal({
  about: "Matches when the request's estimated size in tokens lies in a band",
  rule,
  check(rules, report) {
    rules.forEach((entry, index) => {
      const { least, most } = bandOf(entry)
      if (entry.min_tokens === undefined && entry.max_tokens === undefined)
        report([index], "must have min_tokens or max_tokens")
      else if (least > most) report([index, "max_tokens"], "is smaller than min_tokens, so the rule can never match")
    })
  },
  setup(rules) {
    const bands = rules.map((entry) => ({ name: entry.name, ...bandOf(entry) }))
    return {
      read({ request }) {
        const tokens = estimateTokens(request)
        return bands.map(({ name, least, most }): Fact => ({
          rule: name,
          state: tokens >= least && tokens <= most ? "match" : "no_match",
          confidence: 1,
          value: tokens,
        }))
      },
    }
  },
})

function bandOf({
  min_tokens: least,
  max_tokens: most,
}: {
  min_tokens?: string | number
  max_tokens?: string | number
}): { least: number; most: number } {
  return { least: least === undefined ? 0 : toNumber(least), most: most === undefined ? Infinity : toNumber(most) }
}

function toNumber(written: string | number): number {
  if (typeof written === "number") return written
  const unit = { K: 1000, M: 1_000_000 }[written.at(-1)?.toUpperCase() ?? ""] ?? 1
  return Number.parseFloat(written) * unit
}

/** Estimate without a tokenizer: a quarter of the text's bytes, whole bytes for structure, fixed amounts for the rest, and the room asked for the answer. */
function estimateTokens(request: ChatRequest): number {
  let textBytes = 0
  let fixed = 0
  let structureBytes = 0
  for (const message of request.messages) {
    fixed += tokensPerMessage
    const parts = partsOf(message)
    textBytes += parts.textBytes
    fixed += parts.images * tokensPerImage
    const calls = message["tool_calls"]
    if (Array.isArray(calls)) {
      fixed += calls.length * tokensPerTool
      structureBytes += jsonBytes(calls)
    }
    if (message.role === "tool") fixed += tokensPerTool
  }
  const tools = request["tools"]
  if (Array.isArray(tools)) {
    fixed += tools.length * tokensPerTool
    structureBytes += jsonBytes(tools)
  }
  if (request["response_format"] !== undefined) structureBytes += jsonBytes(request["response_format"])
  const reserve = request["max_completion_tokens"] ?? request["max_tokens"]
  return Math.ceil(textBytes / 4) + structureBytes + fixed + (typeof reserve === "number" && reserve > 0 ? reserve : 0)
}

function partsOf(message: ChatMessage): { textBytes: number; images: number } {
  if (typeof message.content === "string") return { textBytes: utf8Bytes(message.content), images: 0 }
  if (!Array.isArray(message.content)) return { textBytes: 0, images: 0 }
  return message.content.reduce(
    (sum, part) => ({
      textBytes: sum.textBytes + (typeof part.text === "string" ? utf8Bytes(part.text) : 0),
      images: sum.images + (part.type === "image_url" ? 1 : 0),
    }),
    { textBytes: 0, images: 0 },
  )
}

const jsonBytes = (value: unknown): number => utf8Bytes(JSON.stringify(value))

const encoder = new TextEncoder()
const scratch = new Uint8Array(4096)

/** Bytes of a text in UTF-8, counted through a small buffer instead of a copy of the text. */
function utf8Bytes(text: string): number {
  let bytes = 0
  let rest = text
  while (rest.length > 0) {
    const { read, written } = encoder.encodeInto(rest, scratch)
    bytes += written
    rest = rest.slice(read)
  }
  return bytes
}
