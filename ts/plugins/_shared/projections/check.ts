// What the schema of `routing.projections` cannot check.

import {
  type DocumentPath,
  predicateProblem,
  type Report,
  type SignalSurroundings,
  suggestion,
} from "../../../kernel/index.ts"
import { checkMetric } from "../knowledge/check.ts"
import { factNames, keyOf, rulesOf } from "./relations.ts"
import { asksOutput, mappingOf, type Partition, type Projections, type Score, type ScoreInput } from "./section.ts"

/** Signals whose facts are no numbers: a condition asks them for one answer among several. */
const withoutScore: ReadonlySet<string> = new Set(["metadata", "classifier"])

interface Known extends SignalSurroundings {
  readonly projections: Projections
  readonly facts: ReadonlyMap<string, ReadonlySet<string>>
}

export function checkProjections(projections: Projections, report: Report, around: SignalSurroundings): void {
  const { partitions = [], scores = [], mappings = [] } = projections
  const known: Known = { ...around, projections, facts: factNames(around) }
  for (const [key, list] of Object.entries({ partitions, scores, mappings }))
    reportRepeated(
      list.map(({ name }, index) => ({ name, path: [key, index, "name"] })),
      report,
    )
  partitions.forEach((partition, index) => checkPartition(partition, ["partitions", index], known, report))
  scores.forEach((score, index) => {
    score.inputs.forEach((input, place) => checkInput(input, ["scores", index, "inputs", place], known, report))
    const circle = circleFrom(score, projections)
    if (circle !== undefined) report(["scores", index], `is made of itself: ${circle.join(" → ")}`)
  })
  checkMappings(projections, report)
}

function reportRepeated(
  entries: readonly { readonly name: string; readonly path: DocumentPath }[],
  report: Report,
  what = "is used twice",
): void {
  const seen = new Set<string>()
  for (const { name, path } of entries) {
    if (seen.has(name)) report(path, `"${name}" ${what}`)
    seen.add(name)
  }
}

function checkPartition(partition: Partition, at: DocumentPath, known: Known, report: Report): void {
  const { members, semantics, temperature } = partition
  reportRepeated(
    members.map((name, index) => ({ name, path: [...at, "members", index] })),
    report,
    "is a member twice",
  )
  if (!members.includes(partition.default))
    report(
      [...at, "default"],
      `"${partition.default}" is not among the members${suggestion(partition.default, members)}`,
    )
  if (semantics === "exclusive") {
    if (temperature !== undefined)
      report([...at, "temperature"], "has no effect: only softmax_exclusive has a temperature", "warning")
  } else if (temperature === undefined || temperature <= 0)
    report(
      [...at, "temperature"],
      `${temperature === undefined ? "is missing" : `is ${temperature}`}; softmax_exclusive needs one above 0, such as 0.1`,
    )
  const families = familiesOf(known)
  const family = families.find(({ rules }) => members.every((name) => rules.has(name)))
  if (family !== undefined) {
    members.forEach((name, index) => {
      const problem = family.problemOf(family.rules.get(name), semantics)
      if (problem !== undefined) report([...at, "members", index], problem)
    })
    return
  }
  const keys = families.map(({ key }) => `routing.signals.${key}`).join(" or ")
  const all = families.flatMap(({ rules }) => [...rules.keys()])
  const missing = members.findIndex((name) => !all.includes(name))
  if (missing >= 0)
    report(
      [...at, "members", missing],
      `"${members[missing]}" is not in ${keys}${suggestion(members[missing] ?? "", all)}`,
    )
  else report([...at, "members"], `must all be of one kind: rules of ${keys}`)
}

/** Signals whose rules can be members, with their rules by name. */
function familiesOf({ document, signals }: Known) {
  return signals.flatMap((signal) => {
    const { partitionProblem } = signal.module
    if (partitionProblem === undefined) return []
    return [
      {
        key: keyOf(signal),
        rules: new Map(rulesOf(signal, document).map((rule) => [rule.name, rule])),
        problemOf: (rule: unknown, semantics: Partition["semantics"]) => partitionProblem(rule as never, semantics),
      },
    ]
  })
}

function checkInput(input: ScoreInput, at: DocumentPath, known: Known, report: Report): void {
  const { type, name, value_source: source = "", match, miss } = input
  const isMetric = type === "kb_metric"
  for (const key of ["kb", "metric"] as const)
    if (!isMetric && input[key] !== undefined)
      report([...at, key], "has no effect: it belongs to inputs of type kb_metric", "warning")
  for (const key of ["match", "miss"] as const)
    if (input[key] !== undefined && (isMetric || type === "projection" || (source !== "" && source !== "binary")))
      report([...at, key], "has no effect: it belongs to rules with value_source: binary", "warning")
  if (match === 0 && source !== "confidence" && source !== "raw" && miss !== undefined && miss !== 0)
    report([...at, "match"], "counts as 1: a rule that matches cannot be worth 0; give it a weight below 0", "warning")
  if (isMetric) {
    checkMetric(input, at, known, report)
    return
  }
  if (name === undefined) {
    report([...at, "name"], "is missing")
    return
  }
  if (type === "projection") {
    checkProjectionInput(input, name, at, known, report)
    return
  }
  const names = known.facts.get(type)
  if (names === undefined || withoutScore.has(type)) {
    const types = [...known.facts.keys(), "kb_metric"].filter((each) => !withoutScore.has(each))
    report(
      [...at, "type"],
      withoutScore.has(type)
        ? `"${type}" has no number for a score`
        : `"${type}" is not a type of signals${suggestion(type, types)}`,
    )
    return
  }
  if (source === "score")
    report([...at, "value_source"], `"score" is for kb_metric and projection; a rule has binary, confidence or raw`)
  // Rules with several facts may be named with one of them (`name:hard`) or without.
  if (!names.has(name) && ![...names].some((each) => each.startsWith(`${name}:`)))
    report(
      [...at, "name"],
      `refers to ${type} rule "${name}", which routing.signals does not declare${suggestion(name, names)}`,
    )
}

function checkProjectionInput(
  input: ScoreInput,
  name: string,
  at: DocumentPath,
  { projections }: Known,
  report: Report,
): void {
  const { value_source: source = "" } = input
  const { scores = [], mappings = [] } = projections
  if (source === "binary" || source === "raw") {
    report([...at, "value_source"], `"${source}" is for rules; a projection has score or confidence`)
    return
  }
  const declared = asksOutput(input)
    ? mappings.flatMap(({ outputs }) => outputs.map((output) => output.name))
    : scores.map((score) => score.name)
  if (!declared.includes(name))
    report(
      [...at, "name"],
      asksOutput(input)
        ? `refers to output "${name}", which no mapping has${suggestion(name, declared)}`
        : `refers to score "${name}", which is not declared${suggestion(name, declared)}`,
    )
}

/** Names of scores from this one back to it, where it is made of itself. */
function circleFrom(start: Score, projections: Projections): readonly string[] | undefined {
  const met = new Set<string>()
  const walk = (score: Score, way: readonly string[]): readonly string[] | undefined => {
    for (const input of score.inputs) {
      if (input.type !== "projection") continue
      const next = asksOutput(input) ? mappingOf(projections, input.name ?? "")?.source : input.name
      if (next === start.name) return [...way, next]
      const found = projections.scores?.find(({ name }) => name === next)
      if (found === undefined || met.has(found.name)) continue
      met.add(found.name)
      const circle = walk(found, [...way, found.name])
      if (circle !== undefined) return circle
    }
    return undefined
  }
  return walk(start, [start.name])
}

function checkMappings({ scores = [], mappings = [] }: Projections, report: Report): void {
  const names = scores.map(({ name }) => name)
  mappings.forEach(({ source, method, outputs }, index) => {
    if (!names.includes(source))
      report(
        ["mappings", index, "source"],
        `"${source}" is not in routing.projections.scores${suggestion(source, names)}`,
      )
    if (method === "multi_emit" && outputs.length < 2)
      report(["mappings", index, "outputs"], "of multi_emit must be at least two; one output needs threshold_bands")
    outputs.forEach((bounds, place) => {
      const problem = predicateProblem(bounds)
      if (problem !== undefined)
        report(["mappings", index, "outputs", place], problem, problem.startsWith("can never") ? "warning" : undefined)
    })
  })
  const outputs = mappings.flatMap((mapping, index) =>
    mapping.outputs.map(({ name }, place) => ({ name, path: ["mappings", index, "outputs", place, "name"] })),
  )
  reportRepeated(outputs, report, "is the output of two mappings or twice of one; conditions ask for outputs by name")
}
