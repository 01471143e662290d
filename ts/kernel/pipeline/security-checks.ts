// What the guards found, for the reply's headers and metadata.

import type { ChatMessage } from "../types/chat.ts"
import type { Facts, SecurityChecks, SignalInput } from "../types/call.ts"
import type { SignalFamily } from "../types/plan.ts"

/**
 * Whether a guard found something in what its rules read: the last user message, or the conversation with `include_history`.
 * One that could not read it, and saw no match in what it read, is left out, as is every one of a request whose last user
 * message is missing or without text, or that has parts that are no text: `false` would claim a check that did not happen.
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

/** Keys of a part that is text and nothing else; what others hold is read by nobody here. */
const textKeys = new Set(["type", "text", "cache_control"])

function isAllText({ text, request }: SignalInput): boolean {
  const isText = ({ content }: ChatMessage): boolean =>
    !Array.isArray(content) ||
    content.every((part) => part.type === "text" && Object.keys(part).every((key) => textKeys.has(key)))
  return text.trim() !== "" && request.messages.every(isText)
}

function findingOf(guard: string, families: readonly SignalFamily[], facts: Facts): boolean | undefined {
  const family = families.find(({ type }) => type === guard)
  if (family === undefined) return undefined
  const states = family.rules.map((_, index) => facts[family.firstSlot + index]?.state)
  if (states.includes("match")) return true
  return states.length > 0 && states.every((state) => state === "no_match") ? false : undefined
}
