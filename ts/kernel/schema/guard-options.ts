// Options that the rules of every guard have, and settings for those without their own. The kernel reads both; a guard lists
// the options that it wants to see, and the settings where its section of `global` has them.

import { Type } from "typebox"
import { literals } from "./shapes.ts"
import { unreadKinds } from "../types/guard.ts"

const onUnscanned = Type.Optional(
  literals(["block", "allow"], {
    description:
      "What a request means that was not read whole: block, the default, counts it as found; allow leaves it to on_error and on_unknown",
  }),
)

/** Options of one rule of a guard. */
export const guardRule = {
  on_unscanned: onUnscanned,
  include_history: Type.Optional(
    Type.Boolean({
      description:
        "false reads the last user message only; true, the default, every text of the request that a backend gets",
    }),
  ),
  max_scan_tokens: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "About how many tokens of a request the rule reads, the newest messages first and other fields last; what is left out makes the request unscanned. As much as guards read when left out",
    }),
  ),
  allow_unread: Type.Optional(
    Type.Array(literals(unreadKinds), {
      uniqueItems: true,
      description: "Content that the rule may leave unread, for models that take pictures, sound or files",
    }),
  ),
}

/** Settings of a guard, for rules that do not say their own. */
export const guardSettings = {
  on_unscanned: onUnscanned,
  on_error: Type.Optional(
    literals(["allow", "block"], {
      description:
        "With on_unscanned: allow. block: what was not read counts as found in every condition without on_error; allow, the default, leaves it to the decision's on_unknown",
    }),
  ),
}
