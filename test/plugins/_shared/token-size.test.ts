import { Value } from "typebox/value"
import { expect, test } from "vitest"
import { tokenSize, toTokens } from "../../../ts/plugins/_shared/token-size.ts"

test("a size is a number, with K for thousands and M for millions", () => {
  const sizes = ["8K", "8k", "0.5m", "1.5M", "1000", 0, 1.5].map((size) => [
    Value.Check(tokenSize, size),
    toTokens(size),
  ])
  expect(sizes).toEqual([8000, 8000, 500_000, 1_500_000, 1000, 0, 1.5].map((tokens) => [true, tokens]))
  const invalid = ["lots", "8KB", "-1", -1, "", true, null]
  expect(invalid.filter((size) => Value.Check(tokenSize, size))).toEqual([])
})
