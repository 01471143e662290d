// docs/failures.md against the router: its YAML is valid. Its tables are compared in test/failures.

import { expect, test } from "vitest"
import { openPage } from "./_page.ts"

const { blocks, wholeDocument, problemsOf } = openPage("failures.md")

test("every block is valid inside the document that it belongs to, and gives no warning", async () => {
  const wrong: string[] = []
  for (const block of blocks) wrong.push(...(await problemsOf(wholeDocument(block))))
  expect(wrong).toEqual([])
  expect(blocks).toHaveLength(1)
})
