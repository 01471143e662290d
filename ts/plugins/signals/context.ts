// Matches the size of the whole request in tokens.

import {
  type Block,
  type ChatRequest,
  defineSignal,
  type Fact,
  type Tool,
  type Turn,
  Type,
  type Work,
  workOn,
} from "../../kernel/index.ts"
import { utf8Bytes, utf8BytesOfShort } from "../_shared/text-size.ts"
import { tokenSize, toTokens } from "../_shared/token-size.ts"

const rule = Type.Object({ min_tokens: Type.Optional(tokenSize), max_tokens: Type.Optional(tokenSize) })

// What parts of a request that are no prose count as.
const tokensPerImage = 8192
const tokensPerTurn = 4
const tokensPerTool = 8

export default defineSignal({
  about: "Matches when the request's estimated size in tokens lies in a band",
  rule,
  check(rules, report) {
    rules.forEach((entry, index) => {
      const { minTokens, maxTokens } = bandOf(entry)
      if (entry.min_tokens === undefined && entry.max_tokens === undefined)
        report([index], "must have min_tokens or max_tokens")
      else if (minTokens > maxTokens)
        report([index, "max_tokens"], "is smaller than min_tokens, so the rule can never match")
    })
  },
  setup(rules) {
    const bands = rules.map((entry) => ({ name: entry.name, ...bandOf(entry) }))
    const toFacts = (tokens: number): readonly Fact[] =>
      bands.map(({ name, minTokens, maxTokens }) => ({
        rule: name,
        state: tokens >= minTokens && tokens <= maxTokens ? "match" : "no_match",
        confidence: 1,
        value: tokens,
      }))
    return {
      read({ text, request }) {
        const tokens = workOn(text, estimatingTokens(request))
        return tokens instanceof Promise ? tokens.then(toFacts) : toFacts(tokens)
      },
    }
  },
})

function bandOf({
  min_tokens: min = 0,
  max_tokens: max = Infinity,
}: {
  min_tokens?: string | number
  max_tokens?: string | number
}): { minTokens: number; maxTokens: number } {
  return { minTokens: toTokens(min), maxTokens: toTokens(max) }
}

/** What a request is made of. */
interface Size {
  textBytes: number
  /** Of JSON, which tokenizers cut into short tokens. */
  structureBytes: number
  /** Tokens of what has a fixed size. */
  fixed: number
  /** Texts to be counted in steps. */
  readonly long: string[]
  /** Parts of the structure to be counted in steps. */
  readonly values: unknown[]
}

const maxShortCharacters = 4096
const turnsOfStep = 256

/** Estimate without a tokenizer: a quarter of the text's bytes, whole bytes for structure, fixed amounts for the rest, and the room asked for the answer. */
function* estimatingTokens({ turns, tools, output, generation }: ChatRequest): Work<number> {
  const size: Size = { textBytes: 0, structureBytes: 0, fixed: 0, long: [], values: [] }
  for (let index = 0; index < turns.length; index++) {
    if (index % turnsOfStep === turnsOfStep - 1) yield
    addTurn(size, turns[index] as Turn)
  }
  if (tools.length > 0) {
    size.fixed += tools.length * tokensPerTool
    addList(size, tools.map(toolJson))
  }
  for (const text of size.long) size.textBytes += yield* utf8Bytes(text)
  for (const value of size.values) {
    yield
    size.structureBytes += yield* utf8Bytes(JSON.stringify(value))
  }
  if (output !== undefined) size.structureBytes += yield* utf8Bytes(JSON.stringify(outputJson(output)))
  const reserve = generation.maxOutputTokens ?? 0
  return Math.ceil(size.textBytes / 4) + size.structureBytes + size.fixed + Math.max(0, reserve)
}

function addTurn(size: Size, { role, blocks }: Turn): void {
  size.fixed += tokensPerTurn
  addText(size, blocks)
  const calls = blocks.filter((block) => block.type === "tool_call")
  if (calls.length > 0) {
    size.fixed += calls.length * tokensPerTool
    addList(size, calls.map(callJson))
  }
  const results = blocks.filter((block) => block.type === "tool_result")
  for (const result of results) addText(size, result.blocks)
  size.fixed += Math.max(results.length, role === "tool" ? 1 : 0) * tokensPerTool
}

/** Reasoning and refusals are left out, as backends leave those of earlier turns out of the prompt. */
function addText(size: Size, blocks: readonly Block[]): void {
  for (const block of blocks) {
    if (block.type === "image") size.fixed += tokensPerImage
    if (block.type !== "text" && block.type !== "opaque") continue
    const { text = "" } = block
    if (text.length > maxShortCharacters) size.long.push(text)
    else size.textBytes += utf8BytesOfShort(text)
  }
}

/** A list as JSON: brackets and commas are one more than its values. */
function addList(size: Size, values: readonly unknown[]): void {
  size.structureBytes += values.length + 1
  for (const value of values) size.values.push(value)
}

// A size must not depend on the client's protocol, so structure counts as the most common one writes it.

function callJson({ id, name, arguments: given, form = "function" }: Extract<Block, { type: "tool_call" }>): object {
  return form === "custom"
    ? { id, type: form, custom: { name, input: given } }
    : { id, type: form, function: { name, arguments: given } }
}

function toolJson({ name, description, parameters, grammar, form = "function" }: Tool): unknown {
  if (form === "opaque") return parameters ?? { type: name }
  const format = grammar && { type: "grammar", grammar }
  return { type: form, [form]: { name, description, parameters, format } }
}

function outputJson(output: NonNullable<ChatRequest["output"]>): unknown {
  switch (output.type) {
    case "text":
      return { type: "text" }
    case "json":
      return { type: "json_object" }
    case "json_schema": {
      const { name, schema, strict } = output
      return { type: "json_schema", json_schema: { name, schema, strict } }
    }
    case "opaque":
      return output.value
  }
}
