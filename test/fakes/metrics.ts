// A metrics port that remembers what was counted and timed.

import type { Labels, Metrics } from "../../ts/kernel/types/metrics.ts"

export interface RecordedMetrics extends Metrics {
  /** Every value by `name{label=value,…}`, in the order of arrival. */
  readonly values: Readonly<Record<string, readonly number[]>>
  /** How often a handle was made. */
  readonly handles: { readonly count: number }
}

export function createRecordedMetrics(): RecordedMetrics {
  const values: Record<string, number[]> = {}
  const handles = { count: 0 }
  const record = (name: string, labels: Labels = {}) => {
    handles.count += 1
    const pairs = Object.entries(labels).map(([label, value]) => `${label}=${value}`)
    const key = pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`
    return (value: number): void => {
      ;(values[key] ??= []).push(value)
    }
  }
  return {
    values,
    handles,
    counter: (name, labels) => {
      const add = record(name, labels)
      return { add: (amount = 1) => add(amount) }
    },
    gauge: (name, labels) => ({ set: record(name, labels), add: record(name, labels) }),
    histogram: (name, labels) => ({ observe: record(name, labels) }),
  }
}
