import { expect, test } from "vitest"
import { confusionPicture } from "../../../../bench/accuracy/pictures/confusion.ts"
import { coveragePicture } from "../../../../bench/accuracy/pictures/coverage.ts"
import { reliabilityPicture } from "../../../../bench/accuracy/pictures/reliability.ts"

const textsOf = (svg: string): readonly string[] =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? "")

test("a confusion matrix shows shares of each true label, and how many rows it has", () => {
  const cases = [
    { truth: "a<b", label: "a<b" },
    { truth: "a<b", label: "c" },
    { truth: "a<b", label: "a<b" },
    { truth: "c", label: "c" },
  ]
  const svg = confusionPicture("Title & more", ["a<b", "c", "d"], cases)
  expect(textsOf(svg)).toEqual([
    "Title &amp; more",
    "4 rows of unseen sources, percent of each true label",
    "67",
    "33",
    "100",
    "a&lt;b (3)",
    "c (1)",
    "d (0)",
    "a&lt;b",
    "c",
    "d",
    "answered",
    "true",
  ])
})

test("a reliability diagram has a point and a column for each bin that holds rows, where they belong", () => {
  const svg = reliabilityPicture("Title", [
    { isRight: true, probability: 1 },
    { isRight: true, probability: 1 },
    { isRight: false, probability: 0.5 },
  ])
  expect(
    [...svg.matchAll(/<circle[^>]*cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]),
  ).toEqual([
    [182, 304],
    [312, 44],
  ])
  expect(svg.match(/<rect class="main"[^>]*height="(?!0")[\d.]+"/g)).toHaveLength(2)
  expect(textsOf(svg)).toContain("3 rows of unseen sources, calibration error 0.167")
})

test("a line of coverage ends where all is answered, and a point stands where the package stops by itself", () => {
  const cases = Array.from({ length: 40 }, (_, place) => ({
    type: place < 20 ? "choice" : "noul",
    isRight: place % 2 === 0,
    sureness: 0.5,
    abstains: place >= 20,
  }))
  const svg = coveragePicture("Title", cases)
  expect([...svg.matchAll(/<circle[^>]*cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [x, y])).toEqual([
    ["352", "154"],
  ])
  expect(textsOf(svg)).toEqual(expect.arrayContaining(["choice (20)", "noul (20)"]))
})

test("pictures hold no number that is none", () => {
  const pictures = [
    confusionPicture("Title", ["a", "b"], []),
    reliabilityPicture("Title", []),
    coveragePicture("Title", []),
    coveragePicture("Title", [{ type: "noul", isRight: true, sureness: 1, abstains: true }]),
  ]
  for (const svg of pictures) expect(svg.replace(/calibration error \S+/, "")).not.toMatch(/NaN|Infinity|undefined/)
})
