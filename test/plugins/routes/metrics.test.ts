import type { RouteRequest } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/metrics.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const from: RouteRequest = {
  id: "req-1",
  request: new Request("http://h/metrics"),
  startedAt: 0,
  listener: "metrics",
  hold: () => {},
  keep: () => () => {},
}

test("gives the exposition as it is", async () => {
  const contentType = "text/plain; version=0.0.4; charset=utf-8"
  const [handler] = route.setup({ metricsText: async () => ({ contentType, text: "a_total 1\n" }) })
  const response = await handler?.(from)
  expect([response?.status, Object.fromEntries(response?.headers ?? []), await response?.text()]).toEqual([
    200,
    { "content-type": contentType, "x-request-id": "req-1" },
    "a_total 1\n",
  ])
})

test("is not found on a host that keeps no metrics", async () => {
  const [handler] = route.setup({ metricsText: async () => undefined })
  await expect(handler?.(from)).rejects.toMatchObject({ code: "not_found", message: "This host keeps no metrics" })
})
