import { readFileSync } from "node:fs"
import { join } from "node:path"
import { buildFeatures } from "rtr/node"
import { expect, test } from "vitest"

// The engine's own lists stand in its source; what it accepts and what the command tells must be the same.
test.each([
  ["FAMILIES", buildFeatures.families],
  ["ENGINES", ["auto", ...buildFeatures.engines]],
  ["PROFILES", buildFeatures.profiles],
])("the list %s is that of the engine", (name, told) => {
  const source = readFileSync(join(import.meta.dirname, "../../../crates/rtrun-core/src/options.rs"), "utf8")
  const [, list = ""] = new RegExp(`const ${name}: &\\[&str\\] = &\\[([^\\]]*)\\]`).exec(source) ?? []
  expect([...list.matchAll(/"([^"]+)"/g)].map(([, item]) => item)).toEqual(told)
})
