import type { KernelStatus, RouteRequest } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/status.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const failed = {
  name: "b",
  artifact: "signals",
  process: "p",
  state: "failed",
  ready: false,
  reason: "no such package",
  restarts: 3,
} as const
const status: KernelStatus = {
  phase: "ready",
  ready: true,
  draining: false,
  updatedAt: new Date(0),
  instanceId: "instance-1",
  configHash: "abc",
  deployments: [{ name: "a", artifact: "signals", process: "p", state: "ready", ready: true, restarts: 0 }],
}

async function ask(path: string, changes: Partial<KernelStatus> = {}) {
  const handlers = route.setup({ status: () => ({ ...status, ...changes }) })
  const from: RouteRequest = {
    id: "req-1",
    request: new Request(`http://h${path}`),
    startedAt: 0,
    listener: "management",
    hold: () => {},
    keep: () => () => {},
  }
  const response = await handlers[route.operations.findIndex((operation) => operation.path === path)]?.(from)
  return { status: response?.status, body: (await response?.json()) as Record<string, unknown> }
}

describe("GET /startup-status", () => {
  test("lists every deployment", async () => {
    expect(await ask("/startup-status")).toEqual({
      status: 200,
      body: {
        phase: "ready",
        ready: true,
        pending_models: [],
        ready_models: 1,
        total_models: 1,
        updated_at: "1970-01-01T00:00:00.000Z",
        model_deployments: status.deployments,
      },
    })
  })

  test("is 503 until all is ready, with the reason", async () => {
    const deployments = [...status.deployments, failed]
    expect(
      await ask("/startup-status", { phase: "error", ready: false, message: "startup failed", deployments }),
    ).toEqual({
      status: 503,
      body: {
        phase: "error",
        ready: false,
        message: "startup failed",
        pending_models: ["b"],
        ready_models: 1,
        total_models: 2,
        updated_at: "1970-01-01T00:00:00.000Z",
        model_deployments: deployments,
      },
    })
  })
})

describe("GET /api/v1/status", () => {
  const conditionsOf = async (changes: Partial<KernelStatus>): Promise<unknown> => {
    const { body } = await ask("/api/v1/status", changes)
    return (body["conditions"] as { type: string; status: string; reason: string }[]).map(
      (condition) => `${condition.type}: ${condition.status} ${condition.reason}`,
    )
  }

  test("tells the process and its configuration", async () => {
    expect(await ask("/api/v1/status")).toEqual({
      status: 200,
      body: {
        schema_version: "v1",
        scope: "replica",
        instance_id: "instance-1",
        observed_at: expect.stringMatching(/^\d{4}-/),
        startup: { phase: "ready", ready: true, observed_at: "1970-01-01T00:00:00.000Z" },
        config: { active_hash: "abc", observed_hash: "abc", activation_status: "active" },
        conditions: expect.any(Array),
      },
    })
  })

  test("never claims that the backends answer", async () => {
    expect(await conditionsOf({})).toEqual([
      "Live: True ProcessRunning",
      "StartupComplete: True StartupComplete",
      "ActiveConfigAvailable: True ActiveConfigAvailable",
      "ConfigConverged: True ConfigHashesMatch",
      "Ready: Unknown RequiredDependenciesUnobserved",
    ])
  })

  test("is not ready while it starts", async () => {
    expect(await conditionsOf({ phase: "initializing_models", ready: false, configHash: undefined })).toEqual([
      "Live: True ProcessRunning",
      "StartupComplete: False StartupIncomplete",
      "ActiveConfigAvailable: False NoActiveConfig",
      "ConfigConverged: Unknown ConfigIdentityUnobserved",
      "Ready: False StartupIncomplete",
    ])
  })

  test("is not ready when it could not start, and holds nothing back but the message", async () => {
    expect(await conditionsOf({ phase: "error", ready: false })).toContain("Ready: False StartupFailed")
    const { body } = await ask("/api/v1/status", { phase: "error", message: "secret detail", configHash: undefined })
    expect(JSON.stringify(body)).not.toContain("secret")
    expect(body["config"]).toEqual({})
  })

  test("is not ready without a configuration", async () => {
    expect(await conditionsOf({ configHash: undefined })).toContain("Ready: False NoActiveConfig")
  })
})
