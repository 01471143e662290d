import { expect, test } from "vitest"
import { canonical } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

test("listeners have their limits, and 300 seconds without a time-out", async () => {
  const listeners = [
    { name: "a", address: "::", port: 1 },
    { name: "b", address: "::", port: 2, timeout: "1m30s", api_keys: ["k"], models: ["MoM"] },
  ]
  expect((await compileWith(canonical({ listeners }))).plan.listeners).toEqual([
    { name: "a", address: "::", port: 1, timeoutMs: 300_000, apiKeys: [], models: undefined },
    { name: "b", address: "::", port: 2, timeoutMs: 90_000, apiKeys: ["k"], models: new Set(["MoM"]) },
  ])
})

test("a document that declares none is served on loopback", async () => {
  const { plan } = await compileWith({ version: "v0.3" })
  expect(plan.listeners).toMatchObject([{ address: "127.0.0.1", port: 8801, timeoutMs: 300_000 }])
})
