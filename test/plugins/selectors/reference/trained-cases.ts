// What the four selectors with artefacts have in common.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Candidate, SelectorModule, SignalInput } from "rtr"
import { type SelectorContractOptions, selectorReaderOf, signalInput } from "rtr/testing"
import { describe, expect, onTestFinished, test } from "vitest"

/** Features of texts with one number and the domain `math`: the number, then fourteen places of which the first is 1. */
export const mathFeatures = (value: number): readonly number[] => [value, 1, ...Array.from({ length: 13 }, () => 0)]

export type AnyTrained = SelectorModule<never, never, never>

const candidates = ["a", "b"].map((model): Candidate => ({ model, score: 1, pricing: undefined, card: undefined }))

const inMath = (text: string): SignalInput =>
  signalInput(text, [], (type) => (type === "domain" ? [{ rule: "math", state: "match", confidence: 0.9 }] : []))

/** `artefact` chooses `b` for the text "1" in mathematics, and something else than `a` and `b` for "-1". */
export function trainedCases(kind: string, module: unknown, artefact: object): void {
  const selector = module as AnyTrained
  const folderWith = (content: string | undefined): string => {
    const folder = mkdtempSync(join(tmpdir(), "rtr-artefact-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    if (content !== undefined) writeFileSync(join(folder, `${kind}_model.json`), content)
    return folder
  }
  const open = async (ml: object) => {
    const logged: unknown[] = []
    const host = { log: (...given: readonly unknown[]) => logged.push(given) }
    const inference = { embed: (text: string) => [Number(text)] }
    const reader = await selectorReaderOf(selector, { settings: { ml }, host, inference }, candidates)
    return { reader, logged }
  }
  const trained = JSON.stringify(artefact)

  test("the artefact of the folder chooses, by the vector and the domain of the text", async () => {
    const folder = folderWith(trained)
    for (const ml of [{ models_path: folder }, { [kind]: { pretrained_path: join(folder, `${kind}_model.json`) } }]) {
      const { reader, logged } = await open(ml)
      expect(await reader.select(inMath("1"))).toEqual({
        candidate: 1,
        confidence: 0.8,
        reason: `${kind} predicts it for such texts`,
      })
      expect(logged).toEqual([])
    }
  })

  describe("without a choice the kernel takes the first candidate", () => {
    test("a model that is no candidate", async () => {
      const { reader } = await open({ models_path: folderWith(trained) })
      await expect(Promise.resolve(reader.select(inMath("-1")))).rejects.toMatchObject({ code: "invalid_model_output" })
    })

    test("vectors of another length than those of the training", async () => {
      const inference = { embed: () => [1, 0] }
      const settings = { ml: { models_path: folderWith(trained) } }
      const reader = await selectorReaderOf(selector, { settings, inference }, candidates)
      await expect(Promise.resolve(reader.select(inMath("1")))).rejects.toMatchObject({
        code: "invalid_model_output",
        message: expect.stringContaining("bind another embedding deployment"),
      })
    })

    test.each<[string, string | undefined, string]>([
      ["no file", undefined, "there is no such file"],
      ["no JSON", "{", "it is no JSON"],
      ["null", "null", `its algorithm is not ${kind}`],
      ["another algorithm", '{"algorithm":"other","trained":true}', `its algorithm is not ${kind}`],
      ["an untrained one", `{"algorithm":"${kind}","trained":false}`, "it is not trained"],
      ["one without content", `{"algorithm":"${kind}","trained":true}`, "its "],
    ])("%s, which the log tells once", async (_, content, reason) => {
      const { reader, logged } = await open({ models_path: folderWith(content) })
      expect(logged).toEqual([
        [
          "warning",
          "selector_artefact_unusable",
          expect.objectContaining({ selector: kind, reason: expect.stringContaining(reason) }),
        ],
      ])
      await expect(Promise.resolve(reader.select(inMath("1")))).rejects.toMatchObject({ code: "not_ready" })
    })
  })
}

/** Options of the contract suite for an artefact that chooses one of its candidates. */
export function trainedContract(kind: string, artefact: object): SelectorContractOptions {
  const folder = mkdtempSync(join(tmpdir(), "rtr-artefact-"))
  const chosen = JSON.stringify(artefact).replaceAll(/"(a|b|other)"/g, '"medium"')
  writeFileSync(join(folder, `${kind}_model.json`), chosen)
  return { settings: { ml: { models_path: folder } }, inference: { embed: () => [1] } }
}
