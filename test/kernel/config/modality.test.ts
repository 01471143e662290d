import { describe, expect, test } from "vitest"
import { problemsOf, documentWith } from "../../fakes/document.ts"

const both = { type: "modality", name: "BOTH" }
const problem =
  "routing.decisions[0].modelRefs: of a decision for modality BOTH must have a model whose card (routing.modelCards[].modality) says ar and one with diffusion, or one with omni"

const check = (rules: object, ...modalities: readonly (string | undefined)[]) =>
  problemsOf(
    documentWith({
      "routing.signals.modality": [{ name: "AR" }, { name: "BOTH" }],
      "routing.modelCards": ["small", "large"].map((name, index) => ({
        name,
        ...(modalities[index] !== undefined && { modality: modalities[index] }),
      })),
      "routing.decisions.0.rules": rules,
      "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
    }),
  )

describe("a decision for modality BOTH", () => {
  test.each<[readonly (string | undefined)[], boolean]>([
    [["ar", "diffusion"], true],
    [["Diffusion", "AR"], true],
    [["omni"], true],
    [["ar", "ar"], false],
    [["diffusion"], false],
    [[], false],
    [["both", "multimodal"], false],
  ])("with models of %j is valid: %s", (modalities, valid) => {
    expect(check(both, ...modalities)).toEqual(valid ? [] : [problem])
  })

  test.each<[string, object, boolean]>([
    ["an AND", { operator: "AND", conditions: [{ type: "keyword", name: "urgent" }, both] }, true],
    ["an OR", { operator: "OR", conditions: [both] }, true],
    ["a NOT", { operator: "NOT", conditions: [both] }, false],
    ["another modality", { type: "modality", name: "AR" }, false],
  ])("is one with the condition in the root: %s", (_, rules, wants) => {
    expect(check(rules)).toEqual(wants ? [problem] : [])
  })
})
