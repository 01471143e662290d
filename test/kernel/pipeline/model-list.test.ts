import { expect, test } from "vitest"
import { modelList } from "../../../ts/kernel/pipeline/model-list.ts"
import { createPlan, createTarget } from "../../fakes/plan.ts"

const listener = {
  name: "main",
  address: "127.0.0.1",
  port: 1,
  timeoutMs: 1,
  apiKeys: [],
  models: undefined,
  origins: new Set<string>(),
}
const models = new Map([
  ["small", createTarget("small", { card: { name: "small", description: "Fast", param_size: "7B" } })],
  ["large", createTarget("large")],
])

test("automatic names come first, then the configured models with what their cards say", () => {
  const list = modelList(createPlan({ models, listeners: [listener] }), 7, "main")
  expect(list.map(({ id }) => id)).toEqual(["MoM", "auto", "rtr/auto", "small", "large"])
  expect([list[0], list[3], list[4]]).toEqual([
    {
      id: "MoM",
      object: "model",
      created: 7,
      owned_by: "rtr",
      description: "Automatic routing",
      routing: { resolution: "virtual", selectable: true },
    },
    {
      id: "small",
      object: "model",
      created: 7,
      owned_by: "upstream-endpoint",
      description: "Fast",
      routing: { resolution: "passthrough", selectable: true },
      card: { param_size: "7B" },
    },
    {
      id: "large",
      object: "model",
      created: 7,
      owned_by: "upstream-endpoint",
      routing: { resolution: "passthrough", selectable: true },
    },
  ])
})

test("a listener lists what it grants, and configured models may be left out", () => {
  const listeners = [listener, { ...listener, name: "narrow", models: new Set(["auto", "large"]) }]
  const idsOf = (changes: object, name: string) =>
    modelList(createPlan({ models, listeners, ...changes }), 7, name).map(({ id }) => id)
  expect(idsOf({}, "narrow")).toEqual(["auto", "large"])
  expect(idsOf({ listConfiguredModels: false }, "main")).toEqual(["MoM", "auto", "rtr/auto"])
})
