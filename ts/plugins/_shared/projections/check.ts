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
import { asksOutput, type Partition, type Projections, type Score, type ScoreInput } from "./section.ts"

/** Signals whose facts are no numbers: a condition asks them for one answer among several. */
const withoutScore: ReadonlySet<string> = new Set(["metadata", "classifier"])

interface Known extends SignalSurroundings {
  readonly projections: Projections
  readonly scores: ReadonlyMap<string, Score>
  /** The score that each output of a mapping is made from. */
  readonly sources: ReadonlyMap<string, string>
  readonly facts: ReadonlyMap<string, ReadonlySet<string>>
}

export function checkProjections(projections: Projections, report: Report, around: SignalSurroundings): void {
  const { partitions = [], scores = [], mappings = [] } = projections
  const known: Known = {
    ...around,
    projections,
    facts: factNames(around),
    scores: new Map(scores.map((score) => [score.name, score])),
    sources: new Map(mappings.flatMap(({ source, outputs }) => outputs.map(({ name }) => [name, source]))),
  }
  for (const [key, list] of Object.entries({ partitions, scores, mappings }))
    reportRepeated(
      list.map(({ name }, index) => ({ name, path: [key, index, "name"] })),
      report,
    )
  partitions.forEach((partition, index) => checkPartition(partition, ["partitions", index], known, report))
  scores.forEach((score, index) => {
    score.inputs.forEach((input, place) => checkInput(input, ["scores", index, "inputs", place], known, report))
  })
  const endless = madeOfEndless(scores, known)
  scores.forEach((score, index) => {
    const circle = endless.has(score) ? circleFrom(score, known) : undefined
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
  { scores, sources }: Known,
  report: Report,
): void {
  const { value_source: source = "" } = input
  if (source === "binary" || source === "raw") {
    report([...at, "value_source"], `"${source}" is for rules; a projection has score or confidence`)
    return
  }
  const declared = asksOutput(input) ? sources : scores
  if (!declared.has(name))
    report(
      [...at, "name"],
      asksOutput(input)
        ? `refers to output "${name}", which no mapping has${suggestion(name, declared.keys())}`
        : `refers to score "${name}", which is not declared${suggestion(name, declared.keys())}`,
    )
}

/** The scores that one is made of. */
const partsOf = ({ inputs }: Score, { scores, sources }: Known): readonly Score[] =>
  inputs.flatMap((input) => {
    if (input.type !== "projection" || input.name === undefined) return []
    return scores.get((asksOutput(input) ? sources.get(input.name) : input.name) ?? "") ?? []
  })

/** Scores in a circle, and those made of them: what is left when all are taken away whose parts have gone. */
function madeOfEndless(scores: readonly Score[], known: Known): ReadonlySet<Score> {
  const left = new Set(scores)
  const waiting = new Map(scores.map((score) => [score, 0]))
  const wholes = new Map<Score, Score[]>()
  for (const score of scores)
    for (const part of partsOf(score, known)) {
      waiting.set(score, (waiting.get(score) ?? 0) + 1)
      const of = wholes.get(part)
      if (of === undefined) wholes.set(part, [score])
      else of.push(score)
    }
  const ready = scores.filter((score) => waiting.get(score) === 0)
  for (let score = ready.pop(); score !== undefined; score = ready.pop()) {
    left.delete(score)
    for (const whole of wholes.get(score) ?? []) {
      const still = (waiting.get(whole) ?? 0) - 1
      waiting.set(whole, still)
      if (still === 0) ready.push(whole)
    }
  }
  return left
}

/** Names of scores from this one back to it, where it is made of itself. */
function circleFrom(start: Score, known: Known): readonly string[] | undefined {
  const metBy = new Map<Score, Score>()
  const open = [start]
  for (let score = open.pop(); score !== undefined; score = open.pop())
    for (const part of partsOf(score, known)) {
      if (part === start) {
        const way = [start.name]
        for (let at: Score | undefined = score; at !== undefined && at !== start; at = metBy.get(at)) way.push(at.name)
        return [...way, start.name].toReversed()
      }
      if (metBy.has(part)) continue
      metBy.set(part, score)
      open.push(part)
    }
  return undefined
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
