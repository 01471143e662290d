// `rtrun prepare` lets nothing pass that `rtrun serve` refuses, and gives the same reason.

import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { runCommand, temporaryFolder } from "./_processes.ts"
import { packageOf } from "./_workers.ts"

/** A copy of a package that loads, with nothing that records how its files should be. */
function changedPackage(change: (folder: string) => void): string {
  const folder = join(temporaryFolder(), "package")
  cpSync(packageOf("embeddings"), folder, { recursive: true })
  rmSync(join(folder, "manifest.json"))
  change(folder)
  return folder
}

function keepOnly(folder: string, name?: string): void {
  for (const path of readdirSync(folder)) rmSync(join(folder, path), { recursive: true })
  if (name !== undefined) writeFileSync(join(folder, name), "{}")
}

const asItIs = (): void => {}

test.each<[string, (folder: string) => void, readonly string[], RegExp]>([
  ["an empty folder", keepOnly, [], /config\.json: is missing/],
  ["a folder of recorded answers alone", (folder) => keepOnly(folder, "expected.json"), [], /config\.json: is missing/],
  [
    "a package whose weights can hold code",
    (folder) => renameSync(join(folder, "model.safetensors"), join(folder, "pytorch_model.bin")),
    [],
    /pytorch_model\.bin/,
  ],
  [
    "a key of rtrun.json that nobody knows",
    (folder) => writeFileSync(join(folder, "rtrun.json"), '{ "schema": 1, "colour": "red" }'),
    [],
    /rtrun\.json: .*colour/,
  ],
  ["an answer unlike the recorded one", spoilGolden, [], /golden/],
  ["a profile that the family does not have", asItIs, ["--profile", "shared_context"], /reads a state anew/],
  ["a family that the package is not", asItIs, ["--family", "image_embeddings"], /describes no embeddings of images/],
])("%s is refused", async (_, change, options, reason) => {
  const { code, stdout, stderr } = await runCommand("rtrun", ["prepare", changedPackage(change), ...options])
  expect([code, stdout]).toEqual([1, ""])
  // One line, so that a script can show it.
  expect(stderr).toMatch(/^Error: .*\n$/)
  expect(stderr).toMatch(reason)
})

test("an entry of a models file is loaded with its own settings", async () => {
  const file = join(temporaryFolder(), "models.json")
  const model = packageOf("embeddings")
  const prepareWithin = (gib: number): ReturnType<typeof runCommand> => {
    writeFileSync(file, JSON.stringify([{ model, name: "mine", memory_budget_gib: gib }]))
    return runCommand("rtrun", ["prepare", "--models", file])
  }
  expect((await prepareWithin(1)).code).toBe(0)
  const { code, stderr } = await prepareWithin(0.000_001)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/"mine".*memory/)])
})

test("paths of a models file start from its folder, wherever the command is started", async () => {
  const folder = changedPackage(asItIs)
  const file = join(dirname(folder), "models.yaml")
  writeFileSync(file, "- model: package\n- model: ./package\n  name: again\n")
  const { code, stdout, stderr } = await runCommand("rtrun", ["prepare", "--json", "--models", file])
  expect(code, stderr).toBe(0)
  expect((JSON.parse(stdout) as { folder: string }[]).map((prepared) => prepared.folder)).toEqual([folder, folder])

  writeFileSync(file, "- model: ./other\n")
  const missing = await runCommand("rtrun", ["serve", "--models", file])
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining(`no folder ${dirname(folder)}/other;`)])
})

function spoilGolden(folder: string): void {
  const golden = join(folder, "golden.json")
  const recorded = JSON.parse(readFileSync(golden, "utf8")) as { embeddings: { vector: number[] }[] }
  recorded.embeddings[0]?.vector.fill(0.25)
  writeFileSync(golden, JSON.stringify(recorded))
}
