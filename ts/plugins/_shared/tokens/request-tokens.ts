// How many tokens the prompt of a request has, about.

import type { Block, ChatRequest, Tool, Work } from "../../../kernel/index.ts"
import { imageTokens, mostImageTokens } from "./image-tokens.ts"
import { textTokens } from "./text-tokens.ts"

type Prompt = Pick<ChatRequest, "turns" | "tools" | "output">

// What templates write around a turn, and around a call or a result of a tool.
const tokensPerTurn = 4
const tokensPerCall = 8

/** So many characters of a request are counted one by one; of each long text behind them only its beginning and its end are. */
const manyCharacters = 65_536
const sampledCharacters = 1024
const partsOfStep = 64

/** Counts what backends read: texts, tools with their calls and results, images and the form of the answer. */
export function* countingTokens({ turns, tools, output }: Prompt, counted = manyCharacters): Work<number> {
  let tokens = 0
  let left = counted
  let parts = 0
  const add = (text: string): void => {
    tokens += left > 0 ? textTokens(text) : textTokens(text, sampledCharacters)
    left -= text.length
  }
  function* countBlocks(blocks: readonly Block[]): Work<void> {
    for (const block of blocks) {
      if (++parts % partsOfStep === 0) yield
      if (block.type === "text" || block.type === "opaque") add(block.text ?? "")
      else if (block.type === "image") tokens += imageTokens(block)
      else if (block.type === "audio" || block.type === "file") tokens += mostImageTokens
      else if (block.type === "tool_call") {
        tokens += tokensPerCall
        add(block.name)
        add(block.arguments)
      } else if (block.type === "tool_result") {
        tokens += tokensPerCall
        yield* countBlocks(block.blocks)
      }
      // Reasoning and refusals are left out, as backends leave those of earlier turns out of the prompt.
    }
  }
  for (const { blocks } of turns) {
    tokens += tokensPerTurn
    yield* countBlocks(blocks)
  }
  for (const tool of tools) {
    if (++parts % partsOfStep === 0) yield
    add(JSON.stringify(toolJson(tool)) ?? "")
  }
  if (output !== undefined && output.type !== "text") add(JSON.stringify(outputJson(output)) ?? "")
  return Math.ceil(tokens)
}

/** The same at once; fewer characters counted take less time and tell less. */
export function requestTokens(prompt: Prompt, counted?: number): number {
  const work = countingTokens(prompt, counted)
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
  }
}

// A size must not depend on the client's protocol, so structure counts as the most common one writes it.

function toolJson({ name, description, parameters, grammar, form = "function" }: Tool): unknown {
  if (form === "opaque") return parameters ?? { type: name }
  const format = grammar && { type: "grammar", grammar }
  return { type: form, [form]: { name, description, parameters, format } }
}

function outputJson(output: Exclude<NonNullable<ChatRequest["output"]>, { type: "text" }>): unknown {
  switch (output.type) {
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
