// The port for counting and timing. Hosts without a metrics library use the null implementation.

export interface Counter {
  add(amount?: number): void
}
export interface Gauge {
  set(value: number): void
  add(amount: number): void
}
export interface Histogram {
  observe(value: number): void
}

export type Labels = Readonly<Record<string, string>>

/** Handles are made once and kept; making one per request would cost more than using it. */
export interface Metrics {
  counter(name: string, labels?: Labels): Counter
  gauge(name: string, labels?: Labels): Gauge
  histogram(name: string, labels?: Labels): Histogram
}

const nothing = (): void => {}

export const nullMetrics: Metrics = {
  counter: () => ({ add: nothing }),
  gauge: () => ({ set: nothing, add: nothing }),
  histogram: () => ({ observe: nothing }),
}
