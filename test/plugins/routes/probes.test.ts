import type { KernelStatus } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/probes.ts"
import { mountRoute, namedKeys } from "../../fakes/listener.ts"
import { fakeStatus } from "../../fakes/status.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const deployment = (name: string, ready: boolean) =>
  ({ name, artifact: "signals", process: "p", state: ready ? "ready" : "loading", ready, restarts: 0 }) as const
const status = fakeStatus({ deployments: [deployment("a", true), deployment("b", true)] })

async function ask(
  path: "/health" | "/ready",
  kind: "inference" | "management" | "metrics",
  changes: Partial<KernelStatus> = {},
) {
  const send = mountRoute(route, { status: () => ({ ...status, ...changes }) }, { kind, apiKeys: namedKeys("k") })
  const { status: code, body } = await send(path)
  return [code, body]
}

describe("GET /health", () => {
  test("says that the process answers, in any phase", async () => {
    expect(await ask("/health", "inference")).toEqual([200, { status: "ok" }])
    expect(await ask("/health", "inference", { ready: false, phase: "error" })).toEqual([200, { status: "ok" }])
  })

  test("answers on the metrics listener, too, and there is a HEAD of both on each", async () => {
    expect([await ask("/health", "metrics"), await ask("/ready", "metrics")]).toEqual([
      [200, { status: "ok" }],
      [200, { status: "ready" }],
    ])
    for (const kind of ["inference", "management", "metrics"] as const) {
      const send = mountRoute(route, { status: () => status }, { kind })
      for (const path of ["/health", "/ready"])
        expect(await send(path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" })
    }
  })

  test("names the service on the management listener", async () => {
    expect(await ask("/health", "management")).toEqual([200, { status: "healthy", service: "rtr" }])
  })
})

describe("GET /ready", () => {
  test("says ready or not on an inference listener, and no more", async () => {
    expect(await ask("/ready", "inference")).toEqual([200, { status: "ready" }])
    expect(await ask("/ready", "inference", { ready: false, draining: true })).toEqual([503, { status: "not_ready" }])
  })

  test("says more on the management listener", async () => {
    expect(await ask("/ready", "management")).toEqual([
      200,
      {
        status: "ready",
        service: "rtr",
        ready: true,
        phase: "ready",
        pending_models: [],
        ready_models: 2,
        total_models: 2,
      },
    ])
  })

  test("names the models that are not ready, and what went wrong", async () => {
    const changes = {
      ready: false,
      phase: "loading_model_deployments",
      message: "loading",
      deployments: [deployment("a", true), deployment("b", false)],
    } as const
    expect(await ask("/ready", "management", changes)).toEqual([
      503,
      {
        status: "starting",
        service: "rtr",
        ready: false,
        phase: "loading_model_deployments",
        message: "loading",
        pending_models: ["b"],
        ready_models: 1,
        total_models: 2,
      },
    ])
  })
})
