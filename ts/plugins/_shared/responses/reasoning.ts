// Tells models to reason in bodies of the Responses API.

import type { HostReasoning, ReasoningChoice, WireObject } from "../../../kernel/index.ts"

/** Every model of this API is told in the same way. */
export const responsesReasoning = (): HostReasoning => ({ needsFamily: false, write })

/** What switches reasoning off differs between models, so without a word of the family a body is left as it is. */
function write(body: WireObject, { enabled, effort, family }: ReasoningChoice): WireObject {
  const { reasoning } = body
  const asked = typeof reasoning === "object" && reasoning !== null ? (reasoning as WireObject) : {}
  if (enabled) return { ...body, reasoning: { ...asked, effort } }
  return family?.disabled === undefined || "effort" in asked
    ? body
    : { ...body, reasoning: { ...asked, effort: family.disabled } }
}
