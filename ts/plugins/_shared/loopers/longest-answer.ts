// The longest reply that models have given on the way: what a looper answers with where it cannot come to its end.

import type { LooperAnswer, LooperCall } from "../../../kernel/index.ts"
import type { Answered } from "./ask-all.ts"
import { textOfReply } from "./replies.ts"

export interface LongestAnswer {
  /** Takes a reply into account, and keeps it if it is the longest; the later one of equals. */
  note(answered: Answered): void
  /** Undefined while no reply has a text. */
  best(): LooperAnswer | undefined
}

export function createLongestAnswer(call: LooperCall, reason: string): LongestAnswer {
  let best: LooperAnswer | undefined
  let length = 1
  return {
    note({ question, reply }) {
      const own = textOfReply(reply).trim().length
      if (own < length) return
      length = own
      best = { reply, candidate: question.model, reason }
      call.keep(best)
    },
    best: () => best,
  }
}
