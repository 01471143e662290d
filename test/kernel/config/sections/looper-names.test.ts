import { expect, test } from "vitest"
import { withLooperNames } from "../../../../ts/kernel/config/sections/looper-names.ts"
import { canonical } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

const rules = { operator: "AND", conditions: [] }
const decision = (name: string, type: string) => ({ name, rules, modelRefs: [{ model: "large" }], algorithm: { type } })
const changes = {
  "routing.decisions": [
    decision("one", "fusion"),
    decision("two", "static"),
    decision("three", "remom"),
    decision("four", "remom"),
  ],
}
const named = async (more: object = {}) => withLooperNames((await compileWith(canonical({ ...changes, ...more }))).plan)

test("each name has the decisions of its looper, and no default model", async () => {
  const plan = await named()
  expect(
    plan.recipes?.map(({ autoNames, decisions, defaultModel }) => [
      autoNames,
      decisions.map(({ name }) => name),
      defaultModel,
    ]),
  ).toEqual([
    [["rtr/fusion", "vllm-sr/fusion"], ["one"], undefined],
    [["rtr/remom", "vllm-sr/remom"], ["three", "four"], undefined],
  ])
  expect(plan.autoNames).not.toContain("rtr/fusion")
})

test("the document may choose the names, and its other names stay what they are", async () => {
  const plan = await named({
    "global.integrations.looper": { fusion: { model_names: ["panel", "small", "auto"] }, remom: { model_names: [] } },
  })
  expect(plan.recipes?.map(({ autoNames }) => autoNames)).toEqual([["panel"]])
})

test("a plan whose loopers have no names is the same", async () => {
  const { plan } = await compileWith(canonical({ "routing.decisions": [decision("one", "ratings")] }))
  expect(withLooperNames(plan)).toBe(plan)
})
