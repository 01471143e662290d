// The values of scores for the facts of one request.

import type { Fact, UnknownReason } from "../../../kernel/index.ts"
import { confidenceOf, outputsFor } from "./bands.ts"
import { asksOutput, type Mapping, mappingOf, type Projections, type Score, type ScoreInput } from "./section.ts"

export type FactsOf = (type: string) => readonly Fact[]
/** What an unknown fact counts as, where its signal says so: guards count what they did not read as found. */
export type UnknownAs = (type: string, rule: string) => "match" | "no_match" | undefined

/** A number, or why there is none. */
export type Value = number | { readonly unknown: UnknownReason }

export const isUnknown = (value: Value): value is Exclude<Value, number> => typeof value !== "number"

/** Computes scores that stand in an order in which each comes after those that it is made of. */
export function createScores(
  projections: Projections,
  scores: readonly Score[],
  unknownAs: UnknownAs,
): (factsOf: FactsOf) => ReadonlyMap<string, Value> {
  const sums = scores.map(({ name, inputs }) => ({
    name,
    terms: inputs
      // A number that counts nothing cannot make the sum unknown either.
      .filter(({ weight }) => weight !== 0)
      .map((input) => ({ weight: input.weight, value: valueOf(input, projections, unknownAs) })),
  }))
  return (asked) => {
    const known = new Map<string, readonly Fact[]>()
    const factsOf: FactsOf = (type) => {
      const facts = known.get(type) ?? asked(type)
      known.set(type, facts)
      return facts
    }
    const values = new Map<string, Value>()
    for (const { name, terms } of sums) {
      let sum: Value = 0
      for (const { weight, value } of terms) {
        const term = value(factsOf, values)
        if (isUnknown(term)) {
          sum = term
          break
        }
        sum += weight * term
      }
      values.set(name, sum)
    }
    return values
  }
}

type ValueOf = (factsOf: FactsOf, scores: ReadonlyMap<string, Value>) => Value

function valueOf(input: ScoreInput, projections: Projections, unknownAs: UnknownAs): ValueOf {
  if (input.type === "kb_metric") return metricOf(input)
  if (input.type === "projection")
    return asksOutput(input)
      ? outputOf(input.name ?? "", mappingOf(projections, input.name ?? ""))
      : (_, scores) => scores.get(input.name ?? "") ?? notRead
  return factValueOf(input, unknownAs)
}

const notRead = { unknown: "failed" } as const

/** A number of a knowledge base: every rule that asks it has all of them. */
function metricOf({ kb = "", metric = "" }: ScoreInput): ValueOf {
  const key = metricKey(kb, metric)
  return (factsOf) => {
    let open: UnknownReason | undefined
    for (const { values, state, reason } of factsOf("kb")) {
      if (values !== undefined && Object.hasOwn(values, key)) return values[key] as number
      if (state === "unknown") open = reason ?? "failed"
    }
    return open === undefined ? 0 : { unknown: open }
  }
}

/** The name of a number of a knowledge base among `Fact.values`. */
export const metricKey = (kb: string, metric: string): string => `${kb}:${metric}`.toLowerCase()

function outputOf(output: string, mapping: Mapping | undefined): ValueOf {
  const position = mapping?.outputs.findIndex(({ name }) => name === output) ?? -1
  const bounds = mapping?.outputs[position]
  if (mapping === undefined || bounds === undefined) return () => notRead
  return (_, scores) => {
    const score = scores.get(mapping.source) ?? notRead
    if (isUnknown(score)) return score
    return outputsFor(mapping, score)[position] === true ? confidenceOf(mapping, bounds, score) : 0
  }
}

function factValueOf({ type, name = "", value_source: source, match, miss = 0 }: ScoreInput, as: UnknownAs): ValueOf {
  const find = createFinder(name)
  const whenUnknown = as(type, name)
  const matching = match || 1
  return (factsOf) => {
    const fact = find(factsOf(type))
    const { state, confidence, value } = fact ?? { state: "unknown", confidence: 0, value: undefined }
    const open = state === "unknown"
    // A text in another language has been read: no guard counts it as found by itself.
    const isLanguage = fact?.reason === "unsupported_language"
    if (open && (whenUnknown === undefined || isLanguage)) return { unknown: fact?.reason ?? "failed" }
    const matches = open ? whenUnknown === "match" : state === "match"
    switch (source) {
      case "confidence":
        return matches ? (open ? 1 : confidence) : 0
      case "raw":
        return (open ? undefined : value) ?? (matches ? (open ? 1 : confidence) : 0)
      default:
        return matches ? matching : miss
    }
  }
}

/**
 * The fact of a rule. One that has several facts (`name:hard`) stands for the one that matches. Facts of a signal keep their
 * order, so that where one stood for the last request is where it stands for the next.
 */
function createFinder(name: string): (facts: readonly Fact[]) => Fact | undefined {
  let at = 0
  return (facts) => {
    if (facts[at]?.rule === name) return facts[at]
    at = Math.max(
      0,
      facts.findIndex(({ rule }) => rule === name),
    )
    if (facts[at]?.rule === name) return facts[at]
    const several = facts.filter(({ rule }) => rule.startsWith(`${name}:`))
    return several.find(({ state }) => state === "match") ?? several[0]
  }
}
