// The name of the Responses dialect, how it refuses, and ids of what it makes.

import type { RtrError, WireObject } from "../../../kernel/index.ts"
import { cannotWrite } from "../dialect/refusals.ts"

export const dialectId = "responses"

/** Whether an item stands for one of a kept response. */
export const isReference = ({ type }: WireObject): boolean => type === "item_reference"

/** For a chat that the wire cannot say. */
export const refuse: (reason: string) => RtrError = cannotWrite("a Responses request")

/** An id as the API makes them: the kind of thing, and 32 characters that nobody guesses. */
export function makeId(prefix: "resp" | "msg" | "rs" | "fc" | "ctc" | "ig" | "item" | "conv"): string {
  return `${prefix}_${crypto.randomUUID().replaceAll("-", "")}`
}
