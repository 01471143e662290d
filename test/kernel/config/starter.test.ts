import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { defaultDeployment, starterBindings, starterDeployment } from "../../../ts/kernel/config/starter.ts"
import { bindingsOf } from "../../../ts/kernel/config/consumers.ts"
import { registry } from "../../fakes/registry.ts"

test("every built-in signal that asks a model has a binding", () => {
  const consumers = registry.all("signal").flatMap((registered) => {
    const { reading, vectors } = bindingsOf(registered)
    return [reading, vectors].filter((name) => name !== undefined)
  })
  expect(Object.keys(starterBindings).toSorted()).toEqual([...new Set(consumers)].toSorted())
  expect(new Set(Object.values(starterBindings).map(({ deployment }) => deployment))).toEqual(
    new Set([defaultDeployment]),
  )
})

test("the starter's package is embedded", () => {
  expect(existsSync(join(import.meta.dirname, "../../../models", starterDeployment.artifact ?? ""))).toBe(true)
})
