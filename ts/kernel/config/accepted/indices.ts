// `evaluation.benchmarks` and `evaluation.indices`: indices are weighted means over results of benchmarks. What each model reaches in
// them is written into the document as further records before that is checked, so that selectors read an index like a benchmark.

import { Type } from "typebox"
import { literals, mapOf, section } from "../../schema/shapes.ts"
import type { Report } from "../../types/module-base.ts"
import { isMap, type Json } from "./plugins-in.ts"

const text = Type.Optional(Type.String())
const texts = Type.Optional(Type.Array(Type.String()))
const number = Type.Optional(Type.Number())
const name = Type.String({ minLength: 1 })
const range = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })

const normalization = Type.Optional(
  section({
    type: Type.Optional(literals(["identity", "one_minus", "linear_clamp", "piecewise_linear", "logistic", "lookup"])),
    min: number,
    max: number,
    k: number,
    x0: number,
    points: Type.Optional(
      Type.Array(section({ input: Type.Number(), output: Type.Number({ minimum: 0, maximum: 1 }) })),
    ),
    values: Type.Optional(mapOf(Type.Number())),
  }),
)

export const benchmarksSchema = Type.Array(
  section({
    id: name,
    display_name: text,
    domain: text,
    tags: texts,
    source: text,
    default_profile: text,
    profiles: Type.Optional(Type.Array(section({ id: name, display_name: text, description: text }))),
    metrics: Type.Array(
      section({
        id: name,
        unit: text,
        direction: Type.Optional(literals(["higher_is_better", "lower_is_better"])),
        range: Type.Optional(range),
        normalization,
      }),
      { minItems: 1 },
    ),
  }),
)

export const indicesSchema = Type.Array(
  section({
    id: name,
    display_name: text,
    description: text,
    methodology: text,
    aggregation: Type.Optional(literals(["weighted_mean"])),
    scale: Type.Optional(range),
    missing: Type.Optional(
      section({
        policy: literals(["require_all", "reported_only", "require_coverage"]),
        minimum: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
      }),
    ),
    domains: Type.Optional(mapOf(Type.Number())),
    components: Type.Array(
      section({
        benchmark: text,
        metric: text,
        benchmark_profile: text,
        benchmark_profiles: texts,
        index: text,
        weight: Type.Number({ exclusiveMinimum: 0 }),
        normalization,
      }),
      { minItems: 1 },
    ),
  }),
)

/** Problems between the definitions, which fit their schema. */
export function checkBenchmarks(benchmarks: unknown, report: Report): void {
  reportTwice(benchmarks, report)
  for (const [index, { default_profile: standard, profiles }] of listOf(benchmarks).entries())
    if (standard !== undefined && profiles !== undefined && !listOf(profiles).some(({ id }) => id === standard))
      report([index, "default_profile"], `"${String(standard)}" is not among its profiles`)
}

export function checkIndices(indices: unknown, report: Report): void {
  reportTwice(indices, report)
  const known = new Map(listOf(indices).map((each) => [each["id"], each] as const))
  for (const [index, { id, components, missing }] of listOf(indices).entries()) {
    if (asMap(missing)["policy"] === "require_coverage" && asMap(missing)["minimum"] === undefined)
      report([index, "missing", "minimum"], "is missing; policy require_coverage needs the least share of the weights")
    for (const [position, { benchmark, metric, index: nested }] of listOf(components).entries()) {
      const at = [index, "components", position]
      if ((metric === undefined) === (nested === undefined))
        report(at, "must have either a benchmark with a metric, or an index")
      else if (metric !== undefined && benchmark === undefined) report([...at, "benchmark"], "is missing")
    }
    if (reaches(known, id, id)) report([index, "components"], `lead back to "${String(id)}"`)
  }
}

function reportTwice(definitions: unknown, report: Report): void {
  const seen = new Set<unknown>()
  for (const [index, { id }] of listOf(definitions).entries()) {
    if (seen.has(id)) report([index, "id"], `"${String(id)}" stands twice`)
    seen.add(id)
  }
}

function reaches(known: ReadonlyMap<unknown, Json>, from: unknown, wanted: unknown): boolean {
  const seen = new Set<unknown>()
  const waiting = [from]
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    for (const { index } of listOf(known.get(id)?.["components"])) {
      if (index === wanted) return true
      waiting.push(index)
    }
  }
  return false
}

/** The document with a record for each model and index that it has the results for. */
export function expandIndices(document: unknown): unknown {
  const { evaluation, routing, providers } = asMap(document)
  const { indices, benchmarks, records } = asMap(evaluation)
  if (!Array.isArray(indices) || indices.length === 0) return document
  const cards = new Map(listOf(asMap(routing)["modelCards"]).map((card) => [card["name"], card] as const))
  const models = new Set([...listOf(asMap(providers)["models"]).map((model) => model["name"]), ...cards.keys()])
  const added = [...models].flatMap((model) => {
    const own = listOf(records).filter((record) => record["model"] === model)
    const measured = [...listOf(cards.get(model)?.["evaluations"]), ...own]
    const shareOf = indexShares({ indices: listOf(indices), benchmarks: listOf(benchmarks), measured })
    return listOf(indices).flatMap(({ id }) => {
      const score = shareOf(id)
      return score === undefined ? [] : [{ model, benchmark: id, metrics: { score } }]
    })
  })
  return { ...asMap(document), evaluation: { ...asMap(evaluation), records: [...listOf(records), ...added] } }
}

interface Measured {
  readonly indices: readonly Json[]
  readonly benchmarks: readonly Json[]
  /** The results of one model, the last one counts. */
  readonly measured: readonly Json[]
}

/** What a model reaches in an index, from 0 to 1; undefined where too little is known of it. */
function indexShares({ indices, benchmarks, measured }: Measured): (id: unknown) => number | undefined {
  const open = new Set<unknown>()
  const valueOf = (component: Json): number | undefined => {
    const { benchmark, metric, index } = component
    if (index !== undefined) return normalized(shareOf(index), component["normalization"])
    const profiles = [...textsOf(component["benchmark_profiles"]), ...textsOf([component["benchmark_profile"]])]
    const value = measured.findLast(
      (run) =>
        run["benchmark"] === benchmark &&
        typeof asMap(run["metrics"])[String(metric)] === "number" &&
        (profiles.length === 0 || profiles.includes(String(run["benchmark_profile"]))),
    )?.["metrics"]
    const definition = listOf(benchmarks.find(({ id }) => id === benchmark)?.["metrics"]).find(
      ({ id }) => id === metric,
    )
    return normalized(
      asMap(value)[String(metric)] as number | undefined,
      component["normalization"] ?? definition?.["normalization"] ?? ofRange(definition),
    )
  }
  const shareOf = (id: unknown): number | undefined => {
    const definition = indices.find((each) => each["id"] === id)
    // An index of the catalogue is a result of the card.
    if (definition === undefined) return valueOf({ benchmark: id, metric: "score" })
    if (open.has(id)) return undefined
    open.add(id)
    const parts = listOf(definition["components"]).map((component) => ({
      weight: Number(component["weight"]),
      value: valueOf(component),
    }))
    open.delete(id)
    const present = parts.filter((part): part is { weight: number; value: number } => part.value !== undefined)
    const weight = sum(present.map((part) => part.weight))
    const coverage = weight / sum(parts.map((part) => part.weight))
    const { policy = "require_all", minimum } = asMap(definition["missing"])
    const least = policy === "require_all" ? 1 : policy === "require_coverage" ? Number(minimum) : 0
    const isEnough = present.length > 0 && (least === 1 ? present.length === parts.length : coverage >= least)
    return isEnough ? sum(present.map((part) => part.weight * part.value)) / weight : undefined
  }
  return shareOf
}

/** A metric with a range of its own and nothing said of its normalization goes from its worst to its best value. */
function ofRange(metric: Json | undefined): Json | undefined {
  const [min = 0, max = 1] = Array.isArray(metric?.["range"]) ? (metric["range"] as readonly number[]) : []
  const isReversed = metric?.["direction"] === "lower_is_better"
  return isReversed ? { type: "linear_clamp", min: max, max: min } : { type: "linear_clamp", min, max }
}

/** A value on the scale from 0 to 1. */
function normalized(value: number | undefined, how: unknown): number | undefined {
  if (value === undefined) return undefined
  const { type = "identity", min = 0, max = 1, k = 1, x0 = 0, points, values } = asMap(how)
  const [low, high, slope, middle] = [min, max, k, x0].map(Number) as [number, number, number, number]
  if (type === "one_minus") return clamped(1 - value)
  if (type === "linear_clamp") return clamped((value - low) / (high - low))
  if (type === "logistic") return clamped(1 / (1 + Math.exp(-slope * (value - middle))))
  if (type === "lookup") {
    const found = asMap(values)[String(value)]
    return typeof found === "number" ? clamped(found) : undefined
  }
  return type === "piecewise_linear" ? between(listOf(points) as never, value) : clamped(value)
}

function between(
  points: readonly { readonly input: number; readonly output: number }[],
  value: number,
): number | undefined {
  const sorted = points.toSorted((a, b) => a.input - b.input)
  const above = sorted.findIndex(({ input }) => input >= value)
  const [left, right] = [sorted[above - 1], sorted[above]]
  if (right === undefined) return sorted.at(-1)?.output
  if (left === undefined || left.input === right.input) return right.output
  return left.output + ((value - left.input) / (right.input - left.input)) * (right.output - left.output)
}

const clamped = (value: number): number => Math.min(1, Math.max(0, value))
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : []
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(asMap) : [])
const asMap = (value: unknown): Json => (isMap(value) ? value : {})
