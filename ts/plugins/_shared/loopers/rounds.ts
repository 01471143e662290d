// Options of loopers that ask models in rounds.

import { Type } from "../../../kernel/index.ts"
import type { AskAllOptions } from "./ask-all.ts"

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/** 0 counts as left out. */
export const roundOptions = {
  max_concurrent: count("Calls at a time; all of them when left out"),
  max_completion_tokens: count("Longest reply of each call; the client's own limit when left out"),
  round_timeout_seconds: count("Longest time of a round"),
  min_successful_responses: count("Replies after which a round is over; all of them when left out"),
  temperature: Type.Optional(Type.Number({ minimum: 0 })),
  include_intermediate_responses: Type.Optional(
    Type.Boolean({ description: "The reply tells what each model said on the way" }),
  ),
} as const

export interface Rounds {
  readonly max_concurrent?: number
  readonly max_completion_tokens?: number
  readonly round_timeout_seconds?: number
  readonly min_successful_responses?: number
}

/** How a round is asked. */
export const roundLimits = ({
  max_concurrent: maxConcurrent,
  round_timeout_seconds: seconds = 0,
  min_successful_responses: enough,
}: Rounds): Pick<AskAllOptions, "maxConcurrent" | "enough" | "timeoutMs"> => ({
  maxConcurrent: maxConcurrent || undefined,
  enough: enough || undefined,
  timeoutMs: seconds * 1000 || undefined,
})
