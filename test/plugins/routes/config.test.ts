import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/config.ts"
import { mountRoute } from "../../fakes/listener.ts"
import { fakeActivation, fakeStatus } from "../../fakes/status.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

test("GET /api/v1/config/hash tells which document serves and what became of the newest", async () => {
  const bodies = await Promise.all(
    [
      fakeActivation(),
      fakeActivation({ observedHash: "new", state: "failed" }),
      fakeActivation({ observedHash: "new", state: "pending" }),
      fakeActivation({ activeHash: undefined, observedHash: undefined, version: 0, state: "none" }),
    ].map(
      async (activation) =>
        (await mountRoute(route, { status: () => fakeStatus({ activation }) })("/api/v1/config/hash")).body,
    ),
  )
  const active = { active_runtime_hash: "abc", active_version: 3 }
  expect(bodies).toEqual([
    { source_config_hash: "abc", generated_runtime_hash: "abc", ...active, activation_status: "active" },
    { source_config_hash: "new", generated_runtime_hash: "new", ...active, activation_status: "failed" },
    { source_config_hash: "new", generated_runtime_hash: "new", ...active, activation_status: "pending" },
    { activation_status: "unknown" },
  ])
})
