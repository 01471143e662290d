// What the guards found, for the reply's headers and metadata.

import type { Facts, SecurityChecks, SignalInput } from "../types/call.ts"
import type { SignalFamily } from "../types/plan.ts"

/**
 * Whether a guard found something in what its rules read: the last user message, or the conversation with `include_history`.
 * One that could not read it, and saw no match in what it read, is left out, as is every one of a request whose last user
 * message is missing, without text, or has parts that are none: `false` would claim a check that did not happen.
 */
export function securityChecks(
  families: readonly SignalFamily[],
  facts: Facts,
  input: SignalInput,
): SecurityChecks | undefined {
  const isRead = isAllText(input)
  const finding = (guard: string): boolean | undefined => {
    const found = findingOf(guard, families, facts)
    return found === false && !isRead ? undefined : found
  }
  const [pii, jailbreak] = [finding("pii"), finding("jailbreak")]
  if (pii === undefined && jailbreak === undefined) return undefined
  return { ...(pii !== undefined && { pii }), ...(jailbreak !== undefined && { jailbreak }) }
}

function isAllText({ text, request }: SignalInput): boolean {
  const content = request.messages.findLast(({ role }) => role === "user")?.content
  return text.trim() !== "" && (!Array.isArray(content) || content.every((part) => typeof part?.text === "string"))
}

function findingOf(guard: string, families: readonly SignalFamily[], facts: Facts): boolean | undefined {
  const family = families.find(({ type }) => type === guard)
  if (family === undefined) return undefined
  const states = family.rules.map((_, index) => facts[family.firstSlot + index]?.state)
  if (states.includes("match")) return true
  return states.length > 0 && states.every((state) => state === "no_match") ? false : undefined
}
