// docs/signals.md against the router: its YAML is valid, prompts go where its tables say, and every signal that has a section is one.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import manifest from "../../plugins-manifest.json" with { type: "json" }
import { type Json, openPage, readBlocks } from "./_page.ts"

const { blocks, wholeDocument, problemsOf, route } = openPage("signals.md")
const present = blocks.filter(({ refusal }) => refusal === undefined)

test("every block is valid inside the document that it belongs to, and gives no warning", async () => {
  const wrong: string[] = []
  for (const block of present)
    wrong.push(...(await problemsOf(wholeDocument(block))).map((problem) => `${block.section}: ${problem}`))
  expect(wrong).toEqual([])
})

test("every section has an example whose prompts go where its table says", async () => {
  const { said, found } = await route(present)
  expect(found).toEqual(said)
  const shown = new Set(present.flatMap(({ section, rows }) => (rows.length > 0 ? [section] : [])))
  expect(present.flatMap(({ section }) => (shown.has(section) ? [] : [section]))).toEqual([])
})

/** Projections stand beside the signals; the others need models that are not built in. */
const withoutPrompts = new Set(["projection", "classifiers", "safety", "hallucination"])

test("every signal has an example with prompts in one of the pages", () => {
  const docs = join(import.meta.dirname, "../../docs")
  const pages = readdirSync(docs).filter((page) => page.endsWith(".md"))
  const examples = pages
    .flatMap((page) => readBlocks(readFileSync(join(docs, page), "utf8")))
    .filter(({ rows, refusal }) => rows.length > 0 && refusal === undefined)
    .map(({ yaml }) => (parse(yaml) as { readonly routing?: { readonly signals?: Json } }).routing?.signals)
  const shown = new Set(examples.flatMap((signals = {}) => Object.keys(signals)))
  const signals = manifest.modules.flatMap((module) =>
    module.kind === "signal" && module.config_key !== undefined ? [module.config_key] : [],
  )
  expect(
    signals.filter((key) => !shown.has(key) && !withoutPrompts.has(key)),
    "Add an example with prompts to a page of docs, or the key to withoutPrompts if its model is not built in",
  ).toEqual([])
})
