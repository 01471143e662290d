import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/metrics.ts"
import { mountRoute } from "../../fakes/listener.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

test("gives the exposition as it is", async () => {
  const contentType = "text/plain; version=0.0.4; charset=utf-8"
  const ask = mountRoute(route, { metricsText: async () => ({ contentType, text: "a_total 1\n" }) })
  const { status, headers, text } = await ask("/metrics")
  expect([status, headers["content-type"], text]).toEqual([200, contentType, "a_total 1\n"])
})

test("is not found on a host that keeps no metrics", async () => {
  const { status, body } = await mountRoute(route, { metricsText: async () => undefined })("/metrics")
  expect([status, body]).toMatchObject([404, { error: { code: "NOT_FOUND", message: "This host keeps no metrics" } }])
})
