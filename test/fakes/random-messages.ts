// Random requests and replies that Messages can say in full.

import type { Block, ChatReply, ChatRequest, StopReason, Turn } from "rtr"
import { list, type Random, some } from "./random.ts"

const texts = [
  "hello",
  " a\n\nb ",
  "漢字かな",
  "👩‍👩‍👧 x",
  'q"uote\\',
  'event: message_stop\n\n"type":"message_stop"',
  '"error":{',
] as const

const text = (random: Random): Block => ({ type: "text", text: random.pick(texts) })

/** What a user sends, and what a tool answers. */
const part = (random: Random): Block =>
  random.pick<Block>([
    text(random),
    { type: "image", source: { kind: "url", url: "https://a.example/i" } },
    { type: "image", source: { kind: "base64", data: "aGk=", mediaType: "image/png" } },
    { type: "image", source: { kind: "id", id: "file_1" } },
    { type: "file", source: { kind: "base64", data: "aGk=", mediaType: "application/pdf" }, name: "a.pdf" },
    { type: "file", source: { kind: "url", url: "https://a.example/f" } },
  ])

/** What a model makes, in the order in which it makes it. */
function spoken(random: Random): readonly Block[] {
  return [
    ...(random.chance(0.3) ? [{ type: "reasoning" as const, text: random.pick(texts), signature: "c2ln" }] : []),
    ...(random.chance(0.8) ? [text(random)] : []),
    ...list(random.below(3), (index) => ({
      type: "tool_call" as const,
      id: `toolu_${index}`,
      name: "f",
      arguments: random.pick(["{}", '{"a":"é"}', '{"n":[1.5,null]}']),
    })),
  ]
}

function turn(random: Random): Turn {
  switch (random.below(3)) {
    case 0:
      return { role: "user", blocks: [text(random), ...list(random.below(3), () => part(random))] }
    case 1:
      return { role: "assistant", blocks: [text(random), ...spoken(random)] }
    default: {
      const blocks = list(random.below(3), () => part(random))
      const result = { type: "tool_result" as const, callId: "toolu_1", blocks, ...some(random, "isError", () => true) }
      return { role: "user", blocks: [result, text(random)] }
    }
  }
}

export function randomMessagesRequest(random: Random): ChatRequest {
  const system: Turn = { role: "system", blocks: list(1 + random.below(2), () => text(random)) }
  const tools = list(random.below(3), (index) => ({
    name: `t${index}`,
    ...some(random, "description", () => "d"),
    parameters: { type: "object" },
  }))
  const choice = random.pick(["auto", "none", "required", { name: "t0" }] as const)
  return {
    model: "MoM",
    turns: [...(random.chance(0.5) ? [system] : []), ...list(1 + random.below(5), () => turn(random))],
    tools,
    ...(tools.length > 0 && random.chance(0.5) && { toolChoice: choice }),
    ...(tools.length > 0 && choice === "auto" && { toolChoice: choice, parallelToolCalls: false }),
    generation: {
      maxOutputTokens: 1 + random.below(9),
      ...some(random, "temperature", () => random.next()),
      ...some(random, "topP", () => random.next()),
      ...some(random, "topK", () => random.below(50)),
      ...some(random, "stop", () => ["x", "y"]),
    },
    ...some(random, "output", () => ({ type: "json_schema", name: "reply", schema: { type: "object" } })),
    ...some(random, "reasoning", () =>
      random.pick([
        { effort: "low", budgetTokens: 2000 },
        { effort: "high", budgetTokens: 9000 },
      ]),
    ),
    stream: random.chance(0.5),
    session: some(random, "user", () => "u"),
    extensions: some(random, "x_own", () => [1]) as ChatRequest["extensions"],
  }
}

export function randomMessagesReply(random: Random): ChatReply {
  const stops: readonly StopReason[] = ["stop", "length", "tool_calls", "refusal", "pause"]
  const blocks = spoken(random)
  const stop = random.pick(stops)
  return {
    id: "msg_1",
    model: "m",
    created: 0,
    choices: [
      { blocks, stop: stop === "stop" && blocks.some(({ type }) => type === "tool_call") ? "tool_calls" : stop },
    ],
    usage: {
      inputTokens: 10 + random.below(9),
      outputTokens: random.below(9),
      cachedInputTokens: random.below(5),
      ...some(random, "cacheWriteTokens", () => 1 + random.below(4)),
      ...some(random, "reasoningTokens", () => random.below(5)),
    },
  }
}
