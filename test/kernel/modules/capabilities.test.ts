import { expect, test } from "vitest"
import { capabilityNames, grantedQuestions, grantSetup } from "../../../ts/kernel/modules/capabilities.ts"
import type { Capability } from "../../../ts/kernel/types/capability.ts"
import { createServices } from "../../fakes/services.ts"

const grantee = { name: "signal:test", vectors: "starter" }
const services = createServices({
  kv: (name) => ({ of: name }) as never,
  records: (name) => ({ of: name }) as never,
  vectors: (name, dimensions) => ({ of: name, dimensions }) as never,
})

/** What each capability adds to the host at set-up, and which question a signal may ask with it. */
const granted: Readonly<Record<Capability, readonly [setup: readonly string[], questions: readonly string[]]>> = {
  "inference.classify": [[], ["classify"]],
  "inference.spans": [[], ["spans"]],
  "inference.embed": [["embedAll"], ["embed"]],
  "inference.decide": [[], ["decide"]],
  "inference.rerank": [[], ["rerank"]],
  inference: [["inference"], []],
  models: [["models"], []],
  http: [["http"], []],
  "store.kv": [["kv"], []],
  "store.workflows": [["workflows"], []],
  "store.records": [["records"], []],
  "store.vectors": [["vectors"], []],
  metrics: [["metrics"], []],
  log: [["log"], []],
  clock: [["clock"], []],
  random: [["random"], []],
  "routing.run": [["run"], []],
  "routing.preview": [["preview"], []],

  dialects: [["readChat"], []],
  plan: [["plan"], []],
  "routing.other": [["other"], []],
  "models.list": [["modelList"], []],
  status: [["status"], []],
  document: [["document"], []],
  operations: [["operations"], []],
  exposition: [["metricsText"], []],
}

test("each capability grants exactly what it names", () => {
  expect(capabilityNames.toSorted()).toEqual(Object.keys(granted).toSorted())
  for (const name of capabilityNames)
    expect([name, Object.keys(grantSetup([name], services, grantee)), grantedQuestions([name], grantee)]).toEqual([
      name,
      ...granted[name],
    ])
})

test("several add up, and none grants nothing", () => {
  expect(Object.keys(grantSetup(["clock", "log", "inference.embed"], services, grantee))).toEqual([
    "clock",
    "log",
    "embedAll",
  ])
  expect([grantSetup([], services, grantee), grantedQuestions([], grantee)]).toEqual([{}, []])
})

test("stores belong to the module that asks", () => {
  const host = grantSetup(["store.kv", "store.records", "store.vectors"], services, grantee) as {
    readonly kv: unknown
    readonly records: unknown
    readonly vectors: (options: { readonly dimensions: number }) => unknown
  }
  expect([host.kv, host.records, host.vectors({ dimensions: 3 })]).toEqual([
    { of: "signal:test" },
    { of: "signal:test" },
    { of: "signal:test", dimensions: 3 },
  ])
})

test("an unknown need is refused with those that there are", () => {
  for (const need of ["disk", "toString", "inference.", undefined])
    for (const grant of [
      () => grantSetup([need as never], services, grantee),
      () => grantedQuestions([need as never], grantee),
    ])
      expect(grant).toThrow(
        expect.objectContaining({
          code: "invalid_module",
          message: expect.stringMatching(
            `^Cannot set up signal:test: it needs "${need}", and there are only inference.classify, .*exposition$`,
          ),
        }),
      )
})

test("a kernel without inference refuses the port, and rules that ask no model have no vectors", async () => {
  expect(() => grantSetup(["inference"], { ...services, inference: undefined }, grantee)).toThrow(
    "this kernel has no inference",
  )
  const { embedAll } = grantSetup(["inference.embed"], services, { name: "signal:test" }) as {
    embedAll: (texts: readonly string[]) => Promise<unknown>
  }
  await expect(embedAll(["a"])).rejects.toMatchObject({ code: "invalid_config" })
})
