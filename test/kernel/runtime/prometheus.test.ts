import { describe, expect, test } from "vitest"
import { metricDefinitions } from "../../../ts/kernel/pipeline/metric-definitions.ts"
import { createPrometheusMetrics, type PrometheusMetrics } from "../../../ts/kernel/runtime/prometheus.ts"

/** The lines of the exposition that hold values. */
async function linesOf({ metricsText }: PrometheusMetrics): Promise<readonly string[]> {
  const text = (await metricsText())?.text ?? ""
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
}

test("what is counted, set and timed is exposed", async () => {
  const prometheus = createPrometheusMetrics()
  const { metrics } = prometheus
  const counter = metrics.counter("llm_model_requests_total", { model: "small" })
  counter.add()
  counter.add(2)
  const gauge = metrics.gauge("rtr_model_runtime_ready", { deployment: "default" })
  gauge.set(5)
  gauge.add(-2)
  metrics.histogram("semantic_router_classification_duration_seconds").observe(0.02)
  const lines = await linesOf(prometheus)
  expect(lines).toContain('llm_model_requests_total{model="small"} 3')
  expect(lines).toContain('rtr_model_runtime_ready{deployment="default"} 3')
  expect(lines).toContain('semantic_router_classification_duration_seconds_bucket{le="0.01"} 0')
  expect(lines).toContain('semantic_router_classification_duration_seconds_bucket{le="0.025"} 1')
  expect(lines).toContain("semantic_router_classification_duration_seconds_sum 0.02")
})

test("every metric has its help, and none of another registry", async () => {
  const exposition = await createPrometheusMetrics().metricsText()
  expect(exposition?.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
  const helped = [...(exposition?.text ?? "").matchAll(/^# HELP (\S+) (.+)$/gm)].map(([, name, help]) => [name, help])
  expect(helped).toEqual(metricDefinitions.map(({ name, help }) => [name, help]))
})

test("two kernels in one process do not mix", async () => {
  const [one, two] = [createPrometheusMetrics(), createPrometheusMetrics()]
  one.metrics.counter("llm_model_requests_total", { model: "small" }).add()
  expect((await linesOf(one)).join()).toContain('llm_model_requests_total{model="small"} 1')
  expect((await linesOf(two)).join()).not.toContain("llm_model_requests_total{")
})

describe("a metric that is not defined", () => {
  const { metrics } = createPrometheusMetrics()

  test.each([
    ["counter", () => metrics.counter("nope")],
    ["gauge", () => metrics.gauge("llm_model_requests_total")],
    ["histogram", () => metrics.histogram("rtr_model_runtime_ready")],
  ])("as %s is a bug", (_, make) => expect(make).toThrow(/^There is no metric \w+ of that kind; this is a bug$/))

  test("with labels of its own is a bug", () => {
    expect(() => metrics.counter("llm_model_requests_total", { nope: "x" }).add()).toThrow("nope")
  })
})
