import { expect, test } from "vitest"
import { editDistance } from "../../../ts/kernel/schema/edit-distance.ts"

test.each<[string, string, number]>([
  ["", "", 0],
  ["", "abc", 3],
  ["abc", "", 3],
  ["kitten", "sitting", 3],
  ["modelRefs", "modelrefs", 1],
  ["flaw", "lawn", 2],
  ["same", "same", 0],
])("%s and %s", (one, other, edits) => {
  expect(editDistance(one, other)).toBe(edits)
})
