// Random requests and replies that chat completions can say in full.

import type { Block, ChatReply, ChatRequest, StopReason, TokenLogprob, ToolCallBlock, Turn } from "rtr"
import { list, type Random, some } from "./random.ts"

const texts = [
  "hello",
  " leading and trailing ",
  "a\n\nb\tc",
  "漢字かな",
  "👩‍👩‍👧 x",
  "  ",
  'q"uote\\',
  "data: [DONE]\n\n",
  '"usage":{',
] as const

function toolCall(random: Random, index: number): ToolCallBlock {
  const custom = random.chance(0.2)
  return {
    type: "tool_call",
    id: `call_${index}`,
    name: random.pick(["f", "weather"]),
    arguments: random.pick(["", "{}", '{"a":"é"}']),
    ...(custom && { form: "custom" as const }),
  }
}

/** Blocks in the order in which the wire has them. */
function spoken(random: Random): readonly Block[] {
  return [
    ...(random.chance(0.3) ? [{ type: "reasoning" as const, text: random.pick(texts) }] : []),
    ...(random.chance(0.8) ? [{ type: "text" as const, text: random.pick(texts) }] : []),
    ...(random.chance(0.2) ? [{ type: "refusal" as const, text: random.pick(texts) }] : []),
    ...list(random.below(3), (index) => toolCall(random, index)),
  ]
}

function part(random: Random): Block {
  return random.pick<Block>([
    { type: "text", text: random.pick(texts) },
    { type: "image", source: { kind: "url", url: "https://a.example/i" }, detail: "low" },
    { type: "image", source: { kind: "base64", data: "aGk=", mediaType: "image/png" } },
    { type: "audio", source: { kind: "base64", data: "aGk=", mediaType: "audio/mpeg" } },
    { type: "file", source: { kind: "id", id: "f" }, name: "a.pdf" },
    { type: "file", source: { kind: "base64", data: "aGk=", mediaType: "application/pdf" } },
  ])
}

function turn(random: Random): Turn {
  const name = random.chance(0.2) ? { name: "n" } : {}
  switch (random.below(4)) {
    case 0:
      return { role: "system", blocks: [{ type: "text", text: random.pick(texts) }], ...name }
    case 1:
      return { role: "user", blocks: list(1 + random.below(3), () => part(random)), ...name }
    case 2:
      return { role: "assistant", blocks: spoken(random), ...name }
    default:
      return {
        role: "tool",
        blocks: [{ type: "tool_result", callId: "call_1", blocks: list(random.below(3), () => part(random)) }],
      }
  }
}

export function randomRequest(random: Random): ChatRequest {
  return {
    model: "MoM",
    turns: list(1 + random.below(5), () => turn(random)),
    tools: list(random.below(3), (index) => ({
      name: `t${index}`,
      ...some(random, "description", () => "d"),
      ...some(random, "parameters", () => ({ type: "object" })),
    })),
    ...some(random, "toolChoice", () => random.pick(["auto", "none", "required", { name: "t0" }] as const)),
    ...some(random, "parallelToolCalls", () => random.chance(0.5)),
    generation: {
      ...some(random, "maxOutputTokens", () => 1 + random.below(9)),
      ...some(random, "temperature", () => random.next()),
      ...some(random, "topP", () => random.next()),
      ...some(random, "stop", () => ["x", "y"]),
      ...some(random, "seed", () => random.below(9)),
      ...some(random, "count", () => 1 + random.below(3)),
      ...some(random, "logprobs", () => true),
    },
    ...some(random, "output", () =>
      random.pick([{ type: "json" }, { type: "json_schema", name: "s", schema: {}, strict: true }] as const),
    ),
    ...some(random, "reasoning", () => ({ effort: "low" })),
    stream: random.chance(0.5),
    session: { ...some(random, "user", () => "u"), ...some(random, "metadata", () => ({ a: "b" })) },
    extensions: some(random, "x_own", () => [1]) as ChatRequest["extensions"],
  }
}

export function randomReply(random: Random): ChatReply {
  const stops: readonly StopReason[] = ["stop", "length", "tool_calls", "content_filter"]
  return {
    id: "reply",
    model: "m",
    created: random.below(1000),
    choices: list(1 + random.below(2), () => {
      const blocks = spoken(random)
      const text = blocks.find((block) => block.type === "text")
      return {
        blocks,
        stop: random.pick(stops),
        ...(text !== undefined && random.chance(0.3) && { logprobs: tokens(random, text.text) }),
      }
    }),
    ...some(random, "usage", () => ({
      inputTokens: random.below(9),
      outputTokens: random.below(9),
      cachedInputTokens: random.below(2),
      ...some(random, "reasoningTokens", () => random.below(5)),
    })),
  }
}

function tokens(random: Random, text: string): readonly TokenLogprob[] {
  const words = random.chance(0.5) ? (text.match(/[^]{1,3}/gu) ?? []) : ["other"]
  return words.map((token) => ({ token, logprob: -1, top: random.chance(0.5) ? [{ token: "t", logprob: -2 }] : [] }))
}
