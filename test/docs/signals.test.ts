// docs/signals.md against the router: its YAML is valid, prompts go where its tables say, and every signal that has a section is one.

import { expect, test } from "vitest"
import { openPage } from "./_page.ts"

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
