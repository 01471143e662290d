// Tells models to reason in Messages bodies.

import type { HostReasoning, ReasoningChoice, WireObject } from "../../../kernel/index.ts"
import { withAdaptiveThinking, withThinking } from "./thinking.ts"

/** Every model of this API has a budget, unless its family has efforts. */
export const messagesReasoning = (): HostReasoning => ({ needsFamily: false, write })

function write(body: WireObject, { enabled, effort, mode, family }: ReasoningChoice): WireObject {
  // A client that says itself how long to think is not overruled.
  if ("thinking" in body) return body
  if (!enabled) return family?.modes?.includes("disabled") === true ? { ...body, thinking: { type: "disabled" } } : body
  return mode === "adaptive" ? withAdaptiveThinking(body, effort) : withThinking(body, effort)
}
