// Random requests and replies that Responses can say in full.

import type { Block, ChatReply, ChatRequest, Turn } from "rtr"
import { list, type Random, some } from "./random.ts"

const texts = [
  "hello",
  " a ",
  "a\n\nb\tc",
  "漢字 👩‍👩‍👧",
  'q"uote\\',
  "data: {}\n\n",
  '{"type":"response.completed"}',
] as const

/** Blocks of one reply, or of a turn of the assistant. A request has no reasoning but `sealed` one. */
function spoken(random: Random, sealed: boolean): readonly Block[] {
  const text = (): string => random.pick(texts)
  return list(1 + random.below(4), (index) =>
    random.pick<() => Block>([
      () => ({ type: "text", text: text() }),
      () => ({ type: "refusal", text: text() }),
      () => ({
        type: "tool_call",
        id: `call_${index}`,
        name: "f",
        arguments: random.pick(["", "{}", '{"a":"é"}']),
        ...some(random, "form", () => "custom"),
      }),
      () => ({ type: "reasoning", text: text(), ...(sealed || random.chance(0.5) ? { encrypted: "sealed" } : {}) }),
      () => ({ type: "reasoning", text: text(), ...(sealed ? { encrypted: "s" } : { signature: "proof" }) }),
    ])(),
  )
}

function turn(random: Random, last: Turn["role"] | undefined): Turn {
  const part = (): Block =>
    random.pick<Block>([
      { type: "text", text: random.pick(texts) },
      { type: "image", source: { kind: "url", url: "https://a.example/i" }, detail: "low" },
      { type: "image", source: { kind: "id", id: "file_1" } },
      { type: "image", source: { kind: "base64", data: "aGk=", mediaType: "image/png" } },
      { type: "audio", source: { kind: "base64", data: "aGk=", mediaType: "audio/mpeg" } },
      { type: "file", source: { kind: "id", id: "f" }, name: "a.pdf" },
      { type: "file", source: { kind: "url", url: "https://a.example/f" } },
      { type: "file", source: { kind: "base64", data: "aGk=", mediaType: "application/pdf" } },
    ])
  switch (random.below(last === "assistant" ? 3 : 4)) {
    case 0:
      return { role: "system", blocks: [{ type: "text", text: random.pick(texts) }] }
    case 1:
      return { role: "user", blocks: list(1 + random.below(3), part) }
    case 2:
      return {
        role: "tool",
        blocks: [
          {
            type: "tool_result",
            callId: "call_9",
            blocks: list(random.below(3), part),
            ...some(random, "isError", () => true),
          },
        ],
      }
    default:
      return { role: "assistant", blocks: spoken(random, true) }
  }
}

export function randomResponsesRequest(random: Random): ChatRequest {
  const turns: Turn[] = []
  for (let left = 1 + random.below(5); left > 0; left--) turns.push(turn(random, turns.at(-1)?.role))
  return {
    model: "MoM",
    turns,
    tools: list(random.below(3), (index) => ({
      name: `t${index}`,
      ...some(random, "description", () => "d"),
      ...(index === 1
        ? { form: "custom" as const, ...some(random, "grammar", () => ({ syntax: "regex", definition: "a+" })) }
        : { parameters: { type: "object" }, ...some(random, "strict", () => true) }),
    })),
    ...some(random, "toolChoice", () => random.pick(["auto", "none", "required", { name: "t0" }] as const)),
    ...some(random, "parallelToolCalls", () => random.chance(0.5)),
    generation: {
      ...some(random, "maxOutputTokens", () => 1 + random.below(9)),
      ...some(random, "temperature", () => random.next()),
      ...some(random, "topP", () => random.next()),
      ...(random.chance(0.5) && { logprobs: true, topLogprobs: 2 }),
    },
    ...some(random, "output", () =>
      random.pick([
        { type: "json" },
        { type: "text" },
        { type: "json_schema", name: "s", schema: {}, strict: true },
      ] as const),
    ),
    ...some(random, "reasoning", () => ({ effort: "low", ...some(random, "summary", () => "auto") })),
    stream: random.chance(0.5),
    session: {
      ...some(random, "user", () => "u"),
      ...(random.chance(0.5) && { metadata: { a: "b" }, store: false }),
      ...(random.chance(0.5) && { previousResponseId: "resp_0", conversation: "conv_1" }),
    },
    extensions: {},
  }
}

export function randomResponsesReply(random: Random): ChatReply {
  const blocks = spoken(random, false)
  const stop = random.chance(0.7)
    ? blocks.some(({ type }) => type === "tool_call")
      ? ("tool_calls" as const)
      : ("stop" as const)
    : random.pick(["length", "content_filter"] as const)
  const text = blocks.find((block) => block.type === "text")
  return {
    id: "reply",
    model: "m",
    created: random.below(1000),
    choices: [
      {
        blocks,
        stop,
        ...(text !== undefined &&
          random.chance(0.4) && { logprobs: [{ token: text.text, logprob: -1, top: [{ token: "t", logprob: -2 }] }] }),
      },
    ],
    ...some(random, "usage", () => ({
      inputTokens: random.below(9),
      outputTokens: random.below(9),
      cachedInputTokens: random.below(2),
      // The wire has these counts always; 0 is none.
      ...some(random, "reasoningTokens", () => 1 + random.below(4)),
      ...some(random, "cacheWriteTokens", () => 1 + random.below(4)),
    })),
  }
}
