// The abort signal of a call in what modules are given about it; it is made when one of them asks for it.

import { lazyField } from "../chat/lazy-field.ts"
import type { Call } from "../types/call.ts"

export const withSignal = lazyField("signal", (call: Pick<Call, "signal">) => call.signal)
