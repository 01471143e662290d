// A whole reply as the events of a stream, for clients that asked for one.

import type { Block, BlockStart, ChatEvent, ChatReply, ReplyChoice, TokenLogprob } from "../types/chat.ts"

/** The reply as stream events; text comes word by word. `createReplyCollector` is the inverse. */
export function eventsOf(reply: ChatReply): readonly ChatEvent[] {
  const { id, model, created, choices, usage } = reply
  return [
    { type: "start", id, model, created },
    ...choices.flatMap(choiceEvents),
    ...(usage === undefined ? [] : [{ type: "usage" as const, usage }]),
  ]
}

function choiceEvents({ blocks, stop, logprobs }: ReplyChoice, choice: number): readonly ChatEvent[] {
  const first = blocks.findIndex(({ type }) => type === "text")
  return [
    ...blocks.flatMap((block, index): readonly ChatEvent[] => [
      { type: "block_start", choice, index, block: startOf(block) },
      ...deltasOf(block, index === first ? logprobs : undefined).map((delta) => ({
        type: "block_delta" as const,
        choice,
        index,
        ...delta,
      })),
      { type: "block_end", choice, index },
    ]),
    { type: "stop", choice, reason: stop },
  ]
}

function startOf(block: Block): BlockStart {
  switch (block.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return { type: block.type }
    case "tool_call": {
      const { arguments: _, ...start } = block
      return start
    }
    default:
      return block
  }
}

type Delta = Omit<Extract<ChatEvent, { type: "block_delta" }>, "type" | "choice" | "index">

function deltasOf(block: Block, logprobs: readonly TokenLogprob[] | undefined): readonly Delta[] {
  switch (block.type) {
    case "text": {
      const { text, citations } = block
      const deltas = logprobs === undefined ? words(text) : withLogprobs(text, logprobs)
      return citations === undefined ? deltas : [...deltas, { text: "", citations }]
    }
    case "refusal":
      return words(block.text)
    case "reasoning": {
      const { text, signature, encrypted } = block
      const proof = { ...(signature !== undefined && { signature }), ...(encrypted !== undefined && { encrypted }) }
      return Object.keys(proof).length === 0 ? words(text) : [...words(text), { text: "", ...proof }]
    }
    case "tool_call":
      return block.arguments === "" ? [] : [{ text: block.arguments }]
    default:
      return []
  }
}

function words(text: string): readonly Delta[] {
  return (text.match(/\S+\s*|\s+/g) ?? []).map((word) => ({ text: word }))
}

/** Token by token where the tokens make up the text, otherwise all of them at its beginning. */
function withLogprobs(text: string, logprobs: readonly TokenLogprob[]): readonly Delta[] {
  if (logprobs.length > 0 && logprobs.map(({ token }) => token).join("") === text)
    return logprobs.map((each) => ({ text: each.token, logprobs: [each] }))
  const [first, ...rest] = words(text)
  return [{ text: first?.text ?? "", logprobs }, ...rest]
}
