import { expect, test } from "vitest"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import type { ResolvedDocument } from "../../../../ts/kernel/config/resolve.ts"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const resolved = (iterations: readonly object[], changes: object = {}): Promise<ResolvedDocument> =>
  loadDocument(
    { environment: () => ({}), loadRegistry: async () => registry, missingParts: "refuse" },
    {
      text: "",
      source: "config.yaml",
      value: documentWith({ "routing.decisions.0.candidateIterations": iterations, ...changes }),
    },
  )
const loop = (changes: object = {}) => ({
  variable: "m",
  source: "models",
  models: ["small", "large"],
  outputs: [{ type: "model", value: "m" }],
  ...changes,
})

test("models of a loop become candidates after those of the decision, each once", async () => {
  const { document, unexpanded, warnings } = await resolved([loop(), loop({ models: ["small"] })])
  const [decision] = document.routing?.decisions ?? []
  expect(decision?.modelRefs?.map(({ model }) => model)).toEqual(["large", "small"])
  expect(decision).not.toHaveProperty("candidateIterations")
  expect(unexpanded.routing?.decisions?.[0]?.modelRefs?.map(({ model }) => model)).toEqual(["large", "small"])
  expect(warnings).toEqual([])
})

test("a loop over the candidates adds none", async () => {
  const { document } = await resolved([{ variable: "c", source: "decision.candidates" }])
  expect(document.routing?.decisions?.[0]?.modelRefs?.map(({ model }) => model)).toEqual(["large"])
})

test("a model that nothing declares is left out, and told of", async () => {
  const { document, warnings } = await resolved([loop({ models: ["small", "tuned", "gone"] })], {
    "routing.modelCards": [{ name: "small", loras: [{ name: "tuned" }] }],
  })
  expect(document.routing?.decisions?.[0]?.modelRefs?.map(({ model }) => model)).toEqual(["large", "small", "tuned"])
  expect(warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)).toEqual([
    'routing.decisions[0].candidateIterations[0].models[2]: "gone" is neither a model nor a LoRA; it is left out',
  ])
})

test("models of a loop may be written as modelRefs are, with all their keys", async () => {
  const { document, warnings } = await resolved(
    [
      loop({
        models: [
          { model: "small", lora_name: "tuned", weight: 2 },
          { model: "small", weight: 1 },
          { model: "small", lora_name: "gone" },
        ],
      }),
    ],
    { "routing.modelCards": [{ name: "small", loras: [{ name: "tuned" }] }, { name: "large" }] },
  )
  expect(document.routing?.decisions?.[0]?.modelRefs).toEqual([
    { model: "large", use_reasoning: false },
    { model: "small", lora_name: "tuned", weight: 2, use_reasoning: false },
    { model: "small", weight: 1, use_reasoning: false },
  ])
  expect(warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)).toEqual([
    'routing.decisions[0].candidateIterations[0].models[2]: "gone" is neither a model nor a LoRA; it is left out',
  ])
})

test.each([
  [loop({ models: [3] }), "models[0]: must be a string or a map, got a number"],
  [loop({ models: [] }), "models: is empty; source models goes through them"],
  [loop({ outputs: [{ type: "model", value: "n" }] }), 'outputs[0].value: must be the variable of the loop, "m"'],
  [loop({ source: "all" }), 'source: must be "decision.candidates" or "models", got "all"'],
  [{ source: "models", models: ["small"] }, "variable: is missing"],
])("%o is refused", async (iteration, message) => {
  await expect(resolved([iteration])).rejects.toThrow(ConfigError)
  await expect(resolved([iteration])).rejects.toThrow(`candidateIterations[0].${message}`)
})

test("a loop over candidates needs some", async () => {
  await expect(
    resolved([{ variable: "c", source: "decision.candidates" }], { "routing.decisions.0.modelRefs": [] }),
  ).rejects.toThrow("goes through the modelRefs of the decision, which has none")
})
