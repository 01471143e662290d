import type { ActivationStatus, KernelStatus } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/status.ts"
import { mountRoute } from "../../fakes/listener.ts"
import { fakeActivation, fakeStatus } from "../../fakes/status.ts"

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
const status = fakeStatus()

async function ask(path: string, changes: Partial<KernelStatus> = {}) {
  const answer = await mountRoute(route, { status: () => ({ ...status, ...changes }) })(path)
  return { status: answer.status, body: answer.body as Record<string, unknown> }
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
        config_warnings: ["global.x: has no effect"],
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
        config_warnings: ["global.x: has no effect"],
      },
    })
  })
})

const none = fakeActivation({ version: 0, activeHash: undefined, observedHash: undefined, attempt: 0, state: "none" })

test("GET /startup-status tells the document that was refused last, with its reasons", async () => {
  const reasons = [
    { stage: "validate", code: "invalid_config", path: "routing.decisions[0]", message: "is wrong", line: 12 },
  ] as const
  const lastRejection = { attempt: 5, hash: "bad", stage: "validate", at: new Date(1000), reasons } as const
  const { body } = await ask("/startup-status", { activation: fakeActivation({ lastRejection }) })
  expect(body["last_rejection"]).toEqual({
    attempt: 5,
    hash: "bad",
    stage: "validate",
    at: "1970-01-01T00:00:01.000Z",
    reasons,
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
        config: {
          active_hash: "abc",
          active_version: 3,
          observed_hash: "abc",
          observed_attempt: 4,
          activation_status: "active",
        },
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
    expect(await conditionsOf({ phase: "initializing_models", ready: false, activation: none })).toEqual([
      "Live: True ProcessRunning",
      "StartupComplete: False StartupIncomplete",
      "ActiveConfigAvailable: False NoActiveConfig",
      "ConfigConverged: Unknown ConfigIdentityUnobserved",
      "Ready: False StartupIncomplete",
    ])
  })

  test("is not ready when it could not start, and holds nothing back but the message", async () => {
    expect(await conditionsOf({ phase: "error", ready: false })).toContain("Ready: False StartupFailed")
    const { body } = await ask("/api/v1/status", { phase: "error", message: "secret detail", activation: none })
    expect(JSON.stringify(body)).not.toContain("secret")
    expect(body["config"]).toEqual({ observed_attempt: 0 })
  })

  test("is not ready without a configuration", async () => {
    expect(await conditionsOf({ activation: none })).toContain("Ready: False NoActiveConfig")
  })

  test("tells whether the newest document is the one that serves", async () => {
    const rows = await Promise.all(
      (
        [
          {},
          { observedHash: "new", state: "pending", stage: "warm" },
          { observedHash: "new", state: "failed", stage: "validate" },
          { observedHash: "new", state: "superseded" },
          { observedHash: undefined },
        ] as readonly Partial<ActivationStatus>[]
      ).map(async (changes) => {
        const activation = fakeActivation(changes)
        const { body } = await ask("/api/v1/status", { activation })
        return [((await conditionsOf({ activation })) as readonly string[])[3], body["config"]]
      }),
    )
    expect(rows).toMatchObject([
      ["ConfigConverged: True ConfigHashesMatch", { activation_status: "active" }],
      ["ConfigConverged: False ConfigActivationPending", { activation_status: "pending", activation_stage: "warm" }],
      ["ConfigConverged: False ConfigActivationFailed", { activation_status: "failed", activation_stage: "validate" }],
      ["ConfigConverged: False ConfigActivationSuperseded", { activation_status: "superseded" }],
      ["ConfigConverged: Unknown ConfigIdentityUnobserved", { active_hash: "abc" }],
    ])
  })
})
