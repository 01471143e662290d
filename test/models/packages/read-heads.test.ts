import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { readHeads } from "../../../ts/models/packages/read-heads.ts"
import { emptyFolder } from "../../fakes/hub.ts"

function packageWith(settings: unknown): string {
  const folder = join(emptyFolder(), "package")
  mkdirSync(folder)
  if (settings !== undefined) writeFileSync(join(folder, "rtrun.json"), JSON.stringify(settings))
  return folder
}

describe("heads of a package", () => {
  test("are those of its settings", () => {
    expect(readHeads("signals")?.map(({ name, kind }) => `${name} ${kind}`)).toContain("jailbreak sequence")
    expect(readHeads("static")).toEqual([])
    expect(readHeads("decide")?.map(({ kind }) => kind)).toEqual(["decisions"])
    const own = { name: "mine", kind: "token", labels: ["O", "X"] }
    const folder = packageWith({ family: "embeddings", heads: [own] })
    expect(readHeads(folder)).toEqual([own])
    expect(readHeads("./package", join(folder, "..", "config.yaml"))).toEqual([own])
  })

  test("are not known of a package whose author's files describe its classifier, and of one that is not here", () => {
    expect(readHeads(packageWith(undefined))).toBeUndefined()
    expect(readHeads(packageWith({ family: "sequence_classification" }))).toBeUndefined()
    expect(readHeads(packageWith({ family: "embeddings", heads: [{ name: "half" }] }))).toBeUndefined()
    expect(readHeads(join(emptyFolder(), "nowhere"))).toBeUndefined()
  })

  test("of a name that no package has are refused", () => {
    expect(() => readHeads("sgnals")).toThrow(
      /"sgnals" is neither a built-in package \(.*signals.*\) nor a path that begins with \/ or \..* \(did you mean "signals"\?\)$/,
    )
  })
})
