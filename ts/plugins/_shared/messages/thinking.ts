// How long a model thinks: tokens on this wire, an effort on the others.

import type { JsonValue, WireObject } from "../../../kernel/index.ts"
import { isObject, toList } from "../dialect/wire.ts"

/** Backends refuse less. */
const leastBudget = 1024

const budgets: Readonly<Record<string, number>> = {
  minimal: leastBudget,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
}

/** The effort that comes closest to a budget. */
export function effortOf(budget: number): string {
  return budget <= 2048 ? "low" : budget <= 8192 ? "medium" : budget <= 16_384 ? "high" : "xhigh"
}

/**
 * A body that asks for this effort. Without a change where the backend would refuse it: no room for the least budget, a
 * forced tool, or results of calls that were made without thinking.
 */
export function withThinking(body: WireObject, effort: string): WireObject {
  if (effort === "none") return body
  const wanted = budgets[effort] ?? (budgets["medium"] as number)
  const limit = typeof body["max_tokens"] === "number" ? body["max_tokens"] : 0
  const budget = Math.min(wanted, Math.floor(limit * 0.8))
  if (budget < leastBudget || cannotThink(body)) return body
  return { ...withoutSampling(body), thinking: { type: "enabled", budget_tokens: budget } }
}

/** A body that leaves the length to the model, with an effort; without a change where the backend would refuse it. */
export function withAdaptiveThinking(body: WireObject, effort: string): WireObject {
  if (cannotThink(body)) return body
  const { output_config: config } = body
  return {
    ...withoutSampling(body),
    thinking: { type: "adaptive" },
    output_config: { ...(isObject(config) && config), effort },
  }
}

const cannotThink = (body: WireObject): boolean => isForced(body["tool_choice"]) || isInsideCalls(body["messages"])

/** Thinking models choose their own sampling. */
function withoutSampling(body: WireObject): WireObject {
  const { temperature: _, top_k: __, top_p: share, ...rest } = body
  return typeof share === "number" && share >= 0.95 ? { ...rest, top_p: share } : rest
}

function isForced(choice: JsonValue | undefined): boolean {
  return isObject(choice) && choice["type"] !== "auto" && choice["type"] !== "none"
}

/** The last message answers calls that stand behind no thinking. */
export function isInsideCalls(messages: JsonValue | undefined): boolean {
  const [called, answered] = toList(messages).slice(-2)
  const types = (message: JsonValue | undefined): readonly unknown[] =>
    toList(isObject(message) ? message["content"] : undefined).map((block) => isObject(block) && block["type"])
  if (!types(answered).includes("tool_result")) return false
  const [first] = types(called)
  return first !== "thinking" && first !== "redacted_thinking"
}
