// Why a reply ended.

import type { JsonValue, StopReason } from "../../../kernel/index.ts"

/** Undefined while a stream has none. */
export function readStop(reason: JsonValue | undefined): StopReason | undefined {
  switch (reason) {
    case undefined:
    case null:
      return undefined
    case "end_turn":
    case "stop_sequence":
      return "stop"
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length"
    case "tool_use":
      return "tool_calls"
    case "pause_turn":
      return "pause"
    case "refusal":
      return "refusal"
    default:
      return "other"
  }
}

/** What a reply has in it that other dialects, or their servers, do not tell by its stop. */
export interface Contents {
  readonly refused: boolean
  readonly called: boolean
}

export function writeStop(stop: StopReason, { refused, called }: Contents): string {
  switch (stop) {
    case "length":
      return "max_tokens"
    case "tool_calls":
      return "tool_use"
    case "content_filter":
    case "refusal":
      return "refusal"
    case "pause":
      return "pause_turn"
    default:
      return refused ? "refusal" : called ? "tool_use" : "end_turn"
  }
}
