// The metrics port for Node: plain numbers on the request path, prom-client for the exposition.

import { type MetricObjectWithValues, type MetricValueWithName, Registry } from "prom-client"
import { type MetricDefinition, metricDefinitions } from "../pipeline/metric-definitions.ts"
import type { Labels, Metrics } from "../types/metrics.ts"
import type { Capabilities } from "../types/capability.ts"

export interface PrometheusMetrics {
  readonly metrics: Metrics
  readonly metricsText: Capabilities["exposition"]["setup"]["metricsText"]
}

/** All metrics of the definitions, in a registry of their own, so that two kernels in one process do not mix. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry()
  const families = {
    counter: new Map<string, Family<NumberSeries>>(),
    gauge: new Map<string, Family<NumberSeries>>(),
    histogram: new Map<string, Family<HistogramSeries>>(),
  }
  for (const definition of metricDefinitions) {
    const { kind, name } = definition
    const family =
      kind === "histogram"
        ? new Family(definition, (labels) => new HistogramSeries(name, labels, definition.buckets ?? []))
        : new Family(definition, (labels) => new NumberSeries(labels))
    families[kind].set(name, family as never)
    // The registry asks for nothing but a name and values; its type names its own classes.
    registry.registerMetric(family as never)
  }
  const find = <Series extends ExposedSeries>(known: ReadonlyMap<string, Family<Series>>, name: string) => {
    const family = known.get(name)
    if (family === undefined) throw new Error(`There is no metric ${name} of that kind; this is a bug`)
    return family
  }
  return {
    metrics: {
      counter: (name, labels = {}) => find(families.counter, name).series(labels),
      gauge: (name, labels = {}) => find(families.gauge, name).series(labels),
      histogram: (name, labels = {}) => find(families.histogram, name).series(labels),
    },
    metricsText: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

/** The name is left out where it is the metric's own. */
type ExposedValue = Omit<MetricValueWithName<string>, "metricName"> & { readonly metricName?: string }

interface ExposedSeries {
  values(): ExposedValue[]
}

/** One metric with a series for each combination of label values. */
class Family<Series extends ExposedSeries> {
  readonly name: string
  readonly #definition: MetricDefinition
  readonly #make: (labels: Labels) => Series
  readonly #series = new Map<string, Series>()

  constructor(definition: MetricDefinition, make: (labels: Labels) => Series) {
    this.name = definition.name
    this.#definition = definition
    this.#make = make
    // A metric without labels is there from the start.
    if (definition.labels.length === 0) this.series({})
  }

  series(labels: Labels): Series {
    const { labels: known } = this.#definition
    const stray = Object.keys(labels).find((label) => !known.includes(label))
    if (stray !== undefined) throw new Error(`Metric ${this.name} has no label ${stray}; this is a bug`)
    const key = JSON.stringify(known.map((label) => labels[label]))
    let series = this.#series.get(key)
    if (series === undefined) this.#series.set(key, (series = this.#make(labels)))
    return series
  }

  /** What the exposition is written from. */
  get(): Omit<MetricObjectWithValues<ExposedValue>, "collect"> {
    const { name, help, kind } = this.#definition
    const values = [...this.#series.values()].flatMap((series) => series.values())
    return { name, help, type: kind as never, aggregator: "sum", values }
  }
}

class NumberSeries implements ExposedSeries {
  readonly #labels: Labels
  #value = 0

  constructor(labels: Labels) {
    this.#labels = labels
  }

  add(amount: number = 1): void {
    this.#value += amount
  }

  set(value: number): void {
    this.#value = value
  }

  values(): ExposedValue[] {
    return [{ value: this.#value, labels: this.#labels }]
  }
}

class HistogramSeries implements ExposedSeries {
  readonly #name: string
  readonly #labels: Labels
  readonly #bounds: readonly number[]
  /** Observations between two bounds; the last are above all of them. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(name: string, labels: Labels, bounds: readonly number[]) {
    this.#name = name
    this.#labels = labels
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += value
  }

  values(): ExposedValue[] {
    let total = 0
    const buckets = [...this.#counts].map((count, index) => {
      total += count
      return {
        value: total,
        labels: { ...this.#labels, le: this.#bounds[index] ?? "+Inf" },
        metricName: `${this.#name}_bucket`,
      }
    })
    return [
      ...buckets,
      { value: this.#sum, labels: this.#labels, metricName: `${this.#name}_sum` },
      { value: total, labels: this.#labels, metricName: `${this.#name}_count` },
    ]
  }
}
