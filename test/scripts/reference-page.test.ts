import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import manifest from "../../plugins-manifest.json" with { type: "json" }

const page = readFileSync(join(import.meta.dirname, "../../docs/reference.md"), "utf8")
const part = (title: string): string => page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? ""

test("every algorithm stands there with its options", () => {
  const missing: string[] = []
  for (const module of manifest.modules) {
    if (module.kind !== "selector" && module.kind !== "looper") continue
    const text = part(module.kind === "selector" ? "Selectors" : "Loopers")
    const own = text.split(/^### /m).find((each) => each.startsWith(`${module.id}\n`)) ?? ""
    const { properties = {} } = module.options as { readonly properties?: object }
    for (const option of Object.keys(properties))
      if (!own.includes(`| \`${option}\` |`)) missing.push(`${module.id}: ${option}`)
  }
  expect(missing).toEqual([])
})

test("the table of bindings has those that there are, and what answers without them", () => {
  const rows = [...part("Bindings").matchAll(/^\| `(.*?)` \| .*? \| (.*?) \| (.*?) \|$/gm)]
  const bindings = Object.fromEntries(rows.map(([, name, asked, silent]) => [name, `${asked}: ${silent}`]))
  expect(Object.keys(bindings).filter((name) => !/^[a-z_]+$/.test(name))).toEqual([])
  expect(bindings).toMatchObject({
    embedding: "vectors: `default`",
    pii_classifier: "spans: `default`, head `pii`",
    decision_model: "typed questions: `decisions`",
    classifier: "classes or typed questions: the model that its rules or settings name",
    hazard: "classes: none: a rule that asks it needs a binding",
  })
})
