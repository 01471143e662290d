// Collects the events of a stream into a whole reply.

import { RtrError } from "../error.ts"
import type {
  Block,
  BlockStart,
  ChatEvent,
  Citation,
  ChatReply,
  StopReason,
  TokenLogprob,
  Usage,
} from "../types/chat.ts"

export interface ReplyCollector {
  add(event: ChatEvent): void
  /** The reply so far. Throws `upstream_error` when the stream reported an error. */
  reply(): ChatReply
}

interface CollectedBlock {
  readonly start: BlockStart
  readonly texts: string[]
  citations?: Citation[]
  signature?: string
  encrypted?: string
}
interface CollectedChoice {
  readonly blocks: Map<number, CollectedBlock>
  stop: StopReason
  logprobs: TokenLogprob[] | undefined
}

/** The inverse of `eventsOf`. Opaque events and pings are left out. */
export function createReplyCollector(): ReplyCollector {
  // Backends and plugins choose the numbers: an array would grow to the largest.
  const choices = new Map<number, CollectedChoice>()
  let head = { id: "", model: "", created: 0 }
  let usage: Usage | undefined
  let failure: RtrError | undefined

  const choiceOf = (number: number): CollectedChoice => {
    const known = choices.get(number)
    if (known !== undefined) return known
    const choice: CollectedChoice = { blocks: new Map(), stop: "other", logprobs: undefined }
    choices.set(number, choice)
    return choice
  }

  return {
    add(event) {
      switch (event.type) {
        case "start":
          head = { id: event.id, model: event.model, created: event.created }
          break
        case "block_start":
          choiceOf(event.choice).blocks.set(event.index, { start: event.block, texts: [] })
          break
        case "block_delta": {
          const choice = choiceOf(event.choice)
          if (event.logprobs !== undefined) (choice.logprobs ??= []).push(...event.logprobs)
          const block = choice.blocks.get(event.index)
          if (block === undefined) break
          block.texts.push(event.text)
          if (event.citations !== undefined) (block.citations ??= []).push(...event.citations)
          if (event.signature !== undefined) block.signature = event.signature
          if (event.encrypted !== undefined) block.encrypted = event.encrypted
          break
        }
        case "stop":
          choiceOf(event.choice).stop = event.reason
          break
        case "usage":
          usage = event.usage
          break
        case "failed":
          failure = new RtrError("upstream_error", event.message)
          break
        default:
      }
    },
    reply() {
      if (failure !== undefined) throw failure
      return {
        ...head,
        choices: inOrder(choices).map(({ blocks, stop, logprobs }) => ({
          blocks: inOrder(blocks).map(blockOf),
          stop,
          ...(logprobs !== undefined && { logprobs }),
        })),
        ...(usage !== undefined && { usage }),
      }
    },
  }
}

/** By their numbers; those that are missing leave no gap. */
const inOrder = <Value>(numbered: ReadonlyMap<number, Value>): readonly Value[] =>
  [...numbered].toSorted(([one], [other]) => one - other).map(([, value]) => value)

function blockOf({ start, texts, citations, signature, encrypted }: CollectedBlock): Block {
  const text = texts.join("")
  switch (start.type) {
    case "text":
      return { type: "text", text, ...(citations !== undefined && { citations }) }
    case "refusal":
      return { type: "refusal", text }
    case "reasoning":
      return {
        type: "reasoning",
        text,
        ...(signature !== undefined && { signature }),
        ...(encrypted !== undefined && { encrypted }),
      }
    case "tool_call":
      return { ...start, arguments: text }
    default:
      return start
  }
}
