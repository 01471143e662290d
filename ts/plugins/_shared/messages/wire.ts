// The name of the Messages dialect, and how it refuses.

import type { RtrError } from "../../../kernel/index.ts"
import { cannotWrite } from "../dialect/refusals.ts"

export const dialectId = "messages"

/** For a chat that the wire cannot say. */
export const refuse: (reason: string) => RtrError = cannotWrite("Messages")
