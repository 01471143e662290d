// The metrics port over prom-client, for Node.

import { Counter, Gauge, Histogram, Registry } from "prom-client"
import { metricDefinitions } from "../pipeline/trace.ts"
import type { Metrics } from "../types/metrics.ts"
import type { RoutePowers } from "../types/route.ts"

export interface PrometheusMetrics {
  readonly metrics: Metrics
  readonly metricsText: RoutePowers["metrics"]["metricsText"]
}

/** All metrics of the definitions, in a registry of their own, so that two kernels in one process do not mix. */
export function createPrometheusMetrics(): PrometheusMetrics {
  const registry = new Registry()
  const registers = [registry]
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  for (const { name, kind, help, labels, buckets } of metricDefinitions) {
    const base = { name, help, labelNames: [...labels], registers }
    if (kind === "counter") counters.set(name, new Counter(base))
    else if (kind === "gauge") gauges.set(name, new Gauge(base))
    else histograms.set(name, new Histogram({ ...base, ...(buckets !== undefined && { buckets: [...buckets] }) }))
  }
  const find = <Metric>(known: ReadonlyMap<string, Metric>, name: string): Metric => {
    const metric = known.get(name)
    if (metric === undefined) throw new Error(`There is no metric ${name} of that kind; this is a bug`)
    return metric
  }
  return {
    metrics: {
      counter(name, labels = {}) {
        const child = find(counters, name).labels(labels)
        return { add: (amount = 1) => child.inc(amount) }
      },
      gauge(name, labels = {}) {
        const child = find(gauges, name).labels(labels)
        return { set: (value) => child.set(value), add: (amount) => child.inc(amount) }
      },
      histogram(name, labels = {}) {
        const child = find(histograms, name).labels(labels)
        return { observe: (value) => child.observe(value) }
      },
    },
    metricsText: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}
