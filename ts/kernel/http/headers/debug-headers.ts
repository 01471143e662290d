// Headers for `x-rtr-debug: true`: what every signal said and what plugins did. Loaded when the first client asks.

import type { CallRecord } from "../../types/call.ts"
import type { Fact } from "../../types/fact.ts"
import type { PlannedSignal } from "../../types/plan.ts"
import type { LearningStep } from "../../types/selector.ts"

/** Clients and proxies refuse heads that are too long. */
const maxLength = 1000

/**
 * Names of rules and numbers, never a text of the request. `toHeaderText` is passed, because a module that is loaded on its own
 * and imports what the core has would split the core in two.
 */
export function debugHeaders(
  { readings, reasoning, plugins, selection }: CallRecord,
  signals: readonly PlannedSignal[],
  toHeaderText: (text: string) => string,
): Readonly<Record<string, string>> {
  const listed = (names: readonly string[]): string => shortened(names.map(toHeaderText))

  const head: Record<string, string> = {}
  const values: string[] = []
  for (const signal of signals) {
    const facts = factsOf(signal, readings?.facts ?? [])
    const matched = facts.filter(({ state }) => state === "match")
    if (matched.length > 0)
      for (const name of namesOf(signal)) head[`x-rtr-matched-${name}`] = listed(matched.map(({ rule }) => rule))
    const told = toldBy(signal, facts, matched)
    if (told !== undefined) head[`x-rtr-${signal.debugHeader?.name}`] = toHeaderText(told)
    for (const { rule, value } of facts)
      if (value !== undefined) values.push(`${signal.type}:${rule}=${Number(value.toFixed(4))}`)
  }
  if (values.length > 0) head["x-rtr-signal-values"] = listed(values)
  if (reasoning !== undefined) head["x-rtr-selected-reasoning"] = reasoning.enabled ? "on" : "off"
  const steps = selection?.learning?.steps ?? []
  for (const [name, part] of learningParts)
    if (steps.length > 0) head[`x-rtr-learning-${name}`] = steps.map(part).join(",")
  if (plugins.length > 0) head["x-rtr-plugins"] = listed(plugins.map(({ type, outcome }) => `${type}=${outcome}`))
  for (const { debugHeader, outcome } of plugins)
    if (debugHeader !== undefined) head[`x-rtr-${debugHeader}`] = String(outcome === "changed")
  return head
}

/** What each component of learning did. */
const learningParts: readonly (readonly [name: string, part: (step: LearningStep) => string])[] = [
  ["methods", ({ method }) => method],
  ["actions", ({ method, action }) => `${method}=${action}`],
  ["scopes", ({ method, scope }) => `${method}=${scope}`],
  ["reasons", ({ method, reason }) => `${method}=${reason}`],
]

const factsOf = ({ firstSlot, rules }: PlannedSignal, facts: readonly (Fact | undefined)[]): readonly Fact[] =>
  facts.slice(firstSlot, firstSlot + rules.length).filter((fact) => fact !== undefined)

/** By the key of the document and by the type of conditions, where they differ: `user-feedbacks` and `user-feedback`. */
const namesOf = ({ type, configKey }: PlannedSignal): ReadonlySet<string> =>
  new Set([configKey, type].map((name) => name.replaceAll("_", "-")))

function toldBy({ debugHeader }: PlannedSignal, facts: readonly Fact[], matched: readonly Fact[]): string | undefined {
  if (debugHeader?.tells === "match") return surest(matched)?.rule
  const numbers = facts.flatMap(({ value }) => (value === undefined ? [] : [value]))
  return debugHeader === undefined || numbers.length === 0 ? undefined : String(Math.min(...numbers))
}

const surest = (facts: readonly Fact[]): Fact | undefined => facts.toSorted((a, b) => b.confidence - a.confidence)[0]

function shortened(names: readonly string[]): string {
  let text = ""
  for (const name of names) {
    const next = `${text}${text === "" ? "" : ","}${name}`
    if (next.length > maxLength) return `${text},more`
    text = next
  }
  return text
}
