import { expect, test } from "vitest"
import {
  characterFigures,
  countCharacters,
  countExactSpans,
  exactSpanFigures,
  type Span,
} from "../../../../bench/accuracy/figures/spans.ts"
import { createRandom } from "../../../../bench/inference/random.ts"

const span = (start: number, end: number, label = "PERSON"): Span => ({ start, end, label })

test("a span is right in both ends and in kind, or not at all", () => {
  const marked = [span(0, 3), span(5, 9), span(12, 15, "ORG")]
  const said = [span(0, 3), span(5, 8), span(12, 15, "LOCATION")]
  expect(countExactSpans(marked, said, undefined)).toEqual({
    PERSON: { right: 1, marked: 2, said: 2 },
    ORG: { right: 0, marked: 1, said: 0 },
    LOCATION: { right: 0, marked: 0, said: 1 },
  })
})

test("a kind that the source does not mark is no mistake", () => {
  const said = [span(0, 3), span(5, 9, "EMAIL")]
  expect(countExactSpans([span(0, 3)], said, ["PERSON"])).toEqual({ PERSON: { right: 1, marked: 1, said: 1 } })
})

test("a span that is said twice counts once", () => {
  expect(countExactSpans([span(0, 3)], [span(0, 3), span(0, 3)], undefined)).toEqual({
    PERSON: { right: 1, marked: 1, said: 1 },
  })
})

test("micro F1 counts over kinds and texts; single kinds only where they are marked", () => {
  const figures = exactSpanFigures([
    { PERSON: { right: 1, marked: 2, said: 1 }, URL: { right: 0, marked: 0, said: 2 } },
    { PERSON: { right: 1, marked: 1, said: 1 } },
  ])
  expect(figures).toEqual({
    micro_f1: 4 / 7,
    precision: 2 / 4,
    recall: 2 / 3,
    f1_PERSON: 4 / 5,
    recall_PERSON: 2 / 3,
  })
})

test("exact spans agree with a comparison of every pair", () => {
  const random = createRandom(5)
  const spans = (): readonly Span[] =>
    Array.from({ length: Math.floor(random() * 6) }, (_, place) => {
      const start = place * 4 + Math.floor(random() * 2)
      return span(start, start + 1 + Math.floor(random() * 2), random() < 0.5 ? "PERSON" : "ORG")
    })
  for (let round = 0; round < 100; round += 1) {
    const [marked, said] = [spans(), spans()]
    const right = marked.filter((one) =>
      said.some((other) => one.start === other.start && one.end === other.end && one.label === other.label),
    ).length
    const found = exactSpanFigures([countExactSpans(marked, said, undefined)])["micro_f1"]
    const naive = marked.length === 0 ? Number.NaN : (2 * right) / (marked.length + said.length)
    expect(found?.toFixed(10)).toBe(naive.toFixed(10))
  }
})

test("characters of spans that overlap count once", () => {
  const counts = countCharacters([span(0, 4), span(2, 6)], [span(4, 8)])
  expect(counts).toEqual({ right: 2, marked: 6, said: 4 })
  expect(characterFigures([counts, { right: 0, marked: 0, said: 0 }])).toEqual({
    character_f1: 0.4,
    precision: 0.5,
    recall: 1 / 3,
  })
})

test("characters agree with a walk over the text", () => {
  const random = createRandom(6)
  const spans = (): readonly Span[] =>
    Array.from({ length: Math.floor(random() * 5) }, () => {
      const start = Math.floor(random() * 30)
      return span(start, start + 1 + Math.floor(random() * 10))
    })
  const covers = (some: readonly Span[], place: number): boolean =>
    some.some(({ start, end }) => start <= place && place < end)
  for (let round = 0; round < 100; round += 1) {
    const [marked, said] = [spans(), spans()]
    const places = Array.from({ length: 60 }, (_, place) => place)
    expect(countCharacters(marked, said)).toEqual({
      right: places.filter((place) => covers(marked, place) && covers(said, place)).length,
      marked: places.filter((place) => covers(marked, place)).length,
      said: places.filter((place) => covers(said, place)).length,
    })
  }
})
