// What the guards found, for the reply's headers and metadata.

import type { Facts, SecurityChecks } from "../types/call.ts"
import type { Block } from "../types/chat.ts"
import type { PlannedSignal } from "../types/plan.ts"
import type { SignalInput } from "../types/signal.ts"

/**
 * Whether each guard found something in what its rules read: the last user turn, or the whole conversation. One that could
 * not read it, and saw no match in what it read, is left out, as is every one of a request whose last user turn is missing
 * or without text, or that has blocks that are no text: `false` would claim a check that did not happen. Undefined when
 * nothing is left to say.
 */
export function securityChecks(
  signals: readonly PlannedSignal[],
  facts: Facts,
  input: Pick<SignalInput, "text" | "request">,
): SecurityChecks | undefined {
  let checks: Record<string, boolean> | undefined
  for (const signal of signals) {
    if (signal.guard === undefined) continue
    const found = findingOf(signal, facts)
    if (found === undefined || (!found && !isAllText(input))) continue
    checks ??= {}
    checks[signal.type] = found
  }
  return checks
}

function isAllText({ text, request }: Pick<SignalInput, "text" | "request">): boolean {
  return text.trim() !== "" && request.turns.every(({ blocks }) => blocks.every(isText))
}

/** Whether a guard can read all that a block says. */
function isText(block: Block): boolean {
  switch (block.type) {
    case "text":
    case "tool_call":
    case "refusal":
      return true
    case "reasoning":
      return block.encrypted === undefined
    case "tool_result":
      return block.blocks.every(isText)
    default:
      return false
  }
}

function findingOf({ rules, firstSlot }: PlannedSignal, facts: Facts): boolean | undefined {
  let isRead = rules.length > 0
  for (let index = 0; index < rules.length; index++) {
    const state = facts[firstSlot + index]?.state
    if (state === "match") return true
    if (state !== "no_match") isRead = false
  }
  return isRead ? false : undefined
}
