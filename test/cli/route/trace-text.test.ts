import { stripVTControlCharacters } from "node:util"
import { expect, test } from "vitest"
import type { RuleTrace } from "../../../ts/cli/route/rule-tree.ts"
import { traceLines } from "../../../ts/cli/route/trace-text.ts"

const line = (leaf: Partial<RuleTrace>): string | undefined => {
  const state = leaf.state ?? "match"
  const matched = state === "match"
  const root: RuleTrace = {
    node_type: "leaf",
    signal_type: "jailbreak",
    signal_name: "usual",
    state,
    matched,
    confidence: matched ? 1 : 0,
    ...leaf,
  }
  const trace = { decision_name: "stop", priority: 1, tier: 0, state, matched, confidence: 1, root_trace: root }
  return traceLines([trace], "stop").map((text) => stripVTControlCharacters(text))[1]
}

test.each<[Partial<RuleTrace>, string]>([
  [{ value: 0.8123, threshold: 0.7 }, "✓ jailbreak:usual  0.812, matches from 0.7"],
  [{ state: "no_match", value: 0.1, threshold: 0.7 }, "✗ jailbreak:usual  0.1, matches from 0.7"],
  [{ state: "unknown", reason: "timeout" }, "? jailbreak:usual  unknown: timeout"],
  [{ reason: "too_long" }, "✓ jailbreak:usual  unknown: too_long, which counts as a match"],
  [{ state: "no_match", reason: "failed" }, "✗ jailbreak:usual  unknown: failed, which counts as no match"],
])("a condition with what it compared: %o", (leaf, text) => {
  expect(line(leaf)?.trim()).toBe(text)
})
