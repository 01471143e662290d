import { readFileSync } from "node:fs"
import { join } from "node:path"
import { buildFeatures } from "rtr/node"
import { expect, test } from "vitest"

const core = join(import.meta.dirname, "../../../crates/rtrun-core/src")
const source = (file: string): string => readFileSync(join(core, file), "utf8")
const found = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, item = ""]) => item)

/** The words of an enum, in the order of its list `ALL`. */
function wordsOf(file: string): readonly string[] {
  const text = source(file)
  const [, list = ""] = /const ALL: \[Self; \d+\] = \[([^\]]*)\]/.exec(text) ?? []
  const wordOf = (variant: string): string =>
    found(text, new RegExp(`Self::${variant} => "([^"]+)"`, "g"))[0] ?? variant
  return found(list, /Self::(\w+)/g).map(wordOf)
}

// The engine's own lists stand in its source; what it accepts and what the command tells must be the same.
test("families and profiles are those of the engine", () => {
  expect(wordsOf("package/recognize.rs")).toEqual(buildFeatures.families)
  expect(wordsOf("model/profile/report.rs")).toEqual(buildFeatures.profiles)
})

test("inference libraries are those of the engine", () => {
  const [, list = ""] = /const ENGINES: \[&str; \d+\] = \[([^\]]*)\]/.exec(source("options.rs")) ?? []
  expect(found(list, /"([^"]+)"/g)).toEqual(["auto", ...buildFeatures.engines])
})
