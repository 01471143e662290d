import { describe, expect, test } from "vitest"
import { toCodeUnits } from "../../../../ts/kernel/runtime/worker-bodies/code-units.ts"

/** The parts of a text that spans in code points stand for. */
const parts = (text: string, ...places: readonly (readonly [start: number, end: number])[]): readonly string[] =>
  toCodeUnits(
    text,
    places.map(([start, end]) => ({ label: "x", start, end, probability: 0.5 })),
  ).map(({ start, end }) => text.slice(start, end))

describe("places in code points become places in code units", () => {
  test("of ASCII, where both are the same", () => {
    const spans = [{ label: "PERSON", start: 3, end: 6, probability: 0.25 }]
    expect(toCodeUnits("hi Ann", spans)).toEqual(spans)
  })

  test("behind, inside and around characters of two units", () => {
    const text = "👍 Ann 𝒜𝓁 Lee 👎"
    expect(parts(text, [0, 1], [2, 5], [6, 8], [9, 12], [13, 14], [0, 14])).toEqual([
      "👍",
      "Ann",
      "𝒜𝓁",
      "Lee",
      "👎",
      text,
    ])
  })

  test("of joined characters, each of which counts", () => {
    expect(parts("👩‍👧e\u0301x", [0, 3], [3, 5], [5, 6])).toEqual(["👩‍👧", "e\u0301", "x"])
  })

  test("of half a character, which counts as one", () => {
    expect(parts("\ud83dAnn\udc4d", [0, 1], [1, 4], [4, 5])).toEqual(["\ud83d", "Ann", "\udc4d"])
  })

  test("at both ends, and empty ones", () => {
    expect(parts("👍", [0, 0], [1, 1], [0, 1])).toEqual(["", "", "👍"])
    expect(parts("", [0, 0])).toEqual([""])
  })

  test("of no spans", () => expect(toCodeUnits("Ann", [])).toEqual([]))
})

describe("a span that is no part of the text is refused", () => {
  const span = { label: "x", start: 0, end: 1, probability: 0.5 }

  test.each<[string, object]>([
    ["that ends behind it", { end: 2 }],
    ["that begins behind it", { start: 5, end: 6 }],
    ["that begins before it", { start: -1 }],
    ["that ends before it begins", { start: 1, end: 0 }],
    ["with half a place", { end: 0.5 }],
    ["without an end", { end: undefined }],
    ["without a label", { label: 5 }],
    ["without a probability", { probability: undefined }],
    ["with a probability that is no number", { probability: Number.NaN }],
    ["with a probability that JSON could not write", { probability: null }],
  ])("%s", (_, wrong) => expect(() => toCodeUnits("👍", [{ ...span, ...wrong } as never])).toThrow(TypeError))

  test("and the error tells places, not the text", () => {
    expect(() => toCodeUnits("secret", [{ ...span, end: 9 }])).toThrow(
      "Cannot place a span from 0 to 9 in 6 characters",
    )
  })
})
