import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as rtr from "rtr"
import * as testing from "rtr/testing"
import { expect, test } from "vitest"
import { moduleKinds } from "../../../ts/kernel/modules/kinds.ts"
import { builtinModules } from "../../../ts/plugins/registry.gen.ts"

test("every kind has its folder, its define function, its contract suite and a built-in module", () => {
  const wrong = Object.entries(moduleKinds).flatMap(([kind, { folder, define, suite }]) => [
    ...(existsSync(fileURLToPath(new URL(`../../../ts/plugins/${folder}`, import.meta.url)))
      ? []
      : [`${kind}: no folder ${folder}`]),
    ...(typeof (rtr as Record<string, unknown>)[define] === "function" ? [] : [`${kind}: rtr exports no ${define}`]),
    ...(typeof (testing as Record<string, unknown>)[suite] === "function"
      ? []
      : [`${kind}: rtr/testing exports no ${suite}`]),
    ...(builtinModules.some((module) => module.kind === kind) ? [] : [`${kind}: no built-in module`]),
  ])
  expect(wrong).toEqual([])
})

test("folders, makers and suites belong to one kind each", () => {
  for (const column of ["folder", "define", "suite"] as const) {
    const names = Object.values(moduleKinds).map((row) => row[column])
    expect([column, new Set(names).size]).toEqual([column, names.length])
  }
})
