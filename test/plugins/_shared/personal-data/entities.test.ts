import { describe, expect, test } from "vitest"
import { type Entity, mergeEntities, toEntities } from "../../../../ts/plugins/_shared/personal-data/entities.ts"
import { entityKinds, kindOf } from "../../../../ts/plugins/_shared/personal-data/kinds.ts"

/** The entity at the first place where the text has the part. */
function entity(text: string, kind: string, part: string, probability = 0.9): Entity {
  const start = text.indexOf(part)
  if (start === -1) throw new Error(`The text has no "${part}"`)
  return { kind, start, end: start + part.length, probability }
}

type Parts = readonly (readonly [kind: string, part: string, probability?: number])[]

/** What the merged list holds, as kind, part and probability. */
function merge(text: string, patterns: Parts, marked: Parts): readonly unknown[] {
  const entities = (parts: Parts, certain: boolean): readonly Entity[] =>
    parts.map(([kind, part, probability]) => entity(text, kind, part, certain ? 1 : probability))
  return mergeEntities(text, entities(patterns, true), entities(marked, false)).map(
    ({ kind, start, end, probability }) => [kind, text.slice(start, end), probability],
  )
}

describe("labels of models", () => {
  test.each([
    ["PERSON", "PERSON"],
    ["PER", "PERSON"],
    ["LOC", "GPE"],
    ["LOCATION", "GPE"],
    ["STREET_ADDRESS", "STREET_ADDRESS"],
    ["ORG", "ORGANIZATION"],
    ["EMAIL", "EMAIL_ADDRESS"],
    ["PHONE", "PHONE_NUMBER"],
    ["US_SSN", "US_SSN"],
    ["CREDIT_CARD", "CREDIT_CARD"],
    ["IP", "IP_ADDRESS"],
    ["IBAN", "IBAN_CODE"],
    ["ID", "ID"],
    ["DATE_TIME", "DATE_TIME"],
    ["AGE", "AGE"],
    ["TITLE", "TITLE"],
    ["NRP", "NRP"],
    ["ZIP", "ZIP_CODE"],
    ["URL", "DOMAIN_NAME"],
    ["DRIVER_LICENSE", "US_DRIVER_LICENSE"],
    ["PASSWORD", "PASSWORD"],
    ["USERNAME", "USERNAME"],
  ])("%s is %s", (label, kind) => {
    expect(kindOf(label)).toBe(kind)
    expect(entityKinds).toContain(kind)
  })

  test("of other models may be the names themselves, in any case", () => {
    expect(entityKinds.map((kind) => kindOf(kind.toLowerCase()))).toEqual(entityKinds)
  })

  test("that nobody knows stay kinds of their own", () => expect(kindOf("blood_type")).toBe("BLOOD_TYPE"))

  test("for what is none are no entities", () => {
    const span = { start: 0, end: 3, probability: 0.5 }
    expect(
      toEntities([
        { ...span, label: "NO_PII" },
        { ...span, label: "ORG" },
      ]),
    ).toEqual([{ ...span, kind: "ORGANIZATION" }])
  })
})

test("what cannot be of its kind is left out", () => {
  const marked = [
    ["PHONE_NUMBER", "root of 144"],
    ["IP_ADDRESS", "of"],
    ["PERSON", "Ann"],
  ] as const
  expect(merge("Ann takes the root of 144", [], marked)).toEqual([["PERSON", "Ann", 0.9]])
})

describe("a pattern", () => {
  test("wins over a span of a kind that patterns find, wherever they overlap", () => {
    const text = "iban DE89 3704 0044 0532 0130 00 ok"
    expect(merge(text, [["IBAN_CODE", "DE89 3704 0044 0532 0130 00"]], [["PHONE_NUMBER", "0532 0130 00 ok"]])).toEqual([
      ["IBAN_CODE", "DE89 3704 0044 0532 0130 00", 1],
    ])
  })

  test("leaves a number beside it that the model took for its end", () => {
    const text = "ann@example.com, 030 901820"
    const pattern = [["EMAIL_ADDRESS", "ann@example.com"]] as const
    expect(merge(text, pattern, [["PHONE_NUMBER", text]])).toEqual([
      ["EMAIL_ADDRESS", "ann@example.com", 1],
      ["PHONE_NUMBER", "030 901820", 0.9],
    ])
    expect(merge("ann@example.com hunter2", pattern, [["PASSWORD", "com hunter2"]])).toEqual([
      ["EMAIL_ADDRESS", "ann@example.com", 1],
      ["PASSWORD", "hunter2", 0.9],
    ])
    expect(merge("+4930901820 b@c", [["PHONE_NUMBER", "+4930901820"]], [["EMAIL_ADDRESS", "0 b@c"]])).toEqual([
      ["PHONE_NUMBER", "+4930901820", 1],
      ["EMAIL_ADDRESS", "b@c", 0.9],
    ])
  })

  test("wins over any span that it covers", () => {
    const text = "write to ann.lee@example.com"
    expect(
      merge(
        text,
        [["EMAIL_ADDRESS", "ann.lee@example.com"]],
        [
          ["PERSON", "ann.lee"],
          ["DOMAIN_NAME", "example.com"],
        ],
      ),
    ).toEqual([["EMAIL_ADDRESS", "ann.lee@example.com", 1]])
  })

  test("leaves what stands outside it, without the signs between", () => {
    const text = "Ann Lee <ann@example.com>, 5 Elm Street"
    const pattern = [["EMAIL_ADDRESS", "ann@example.com"]] as const
    expect(merge(text, pattern, [["PERSON", "Ann Lee <ann@example"]])).toEqual([
      ["PERSON", "Ann Lee", 0.9],
      ["EMAIL_ADDRESS", "ann@example.com", 1],
    ])
    expect(merge(text, pattern, [["STREET_ADDRESS", text]])).toEqual([
      ["STREET_ADDRESS", "Ann Lee", 0.9],
      ["EMAIL_ADDRESS", "ann@example.com", 1],
      ["STREET_ADDRESS", "5 Elm Street", 0.9],
    ])
  })

  test("leaves nothing of a span that is signs beside it", () => {
    expect(
      merge("(ann@example.com)", [["EMAIL_ADDRESS", "ann@example.com"]], [["PERSON", "(ann@example.com)"]]),
    ).toEqual([["EMAIL_ADDRESS", "ann@example.com", 1]])
  })

  test("does not touch what stands beside it", () => {
    const text = "Ann,ann@example.com;Lee"
    expect(
      merge(
        text,
        [["EMAIL_ADDRESS", "ann@example.com"]],
        [
          ["PERSON", "Ann,"],
          ["PASSWORD", ";Lee"],
        ],
      ),
    ).toEqual([
      ["PERSON", "Ann,", 0.9],
      ["EMAIL_ADDRESS", "ann@example.com", 1],
      ["PASSWORD", ";Lee", 0.9],
    ])
  })

  test("is found among many", () => {
    const text = Array.from({ length: 50 }, (_, index) => `p${index} a${index}@example.com`).join("\n")
    const patterns = Array.from({ length: 50 }, (_, index) => ["EMAIL_ADDRESS", `a${index}@example.com`] as const)
    const marked = Array.from({ length: 50 }, (_, index) => ["PERSON", `p${index} a${index}@`] as const)
    expect(merge(text, patterns, marked)).toEqual(
      Array.from({ length: 50 }, (_, index) => [
        ["PERSON", `p${index}`, 0.9],
        ["EMAIL_ADDRESS", `a${index}@example.com`, 1],
      ]).flat(),
    )
  })
})

describe("spans of a model", () => {
  test("of one kind that overlap become one, with the higher probability", () => {
    expect(
      merge(
        "Ann Lee Moss",
        [],
        [
          ["PERSON", "Lee Moss", 0.8],
          ["PERSON", "Ann Lee", 0.6],
        ],
      ),
    ).toEqual([["PERSON", "Ann Lee Moss", 0.8]])
    expect(
      merge(
        "Ann Lee Moss",
        [],
        [
          ["PERSON", "Ann Lee Moss", 0.8],
          ["PERSON", "Lee", 0.9],
        ],
      ),
    ).toEqual([["PERSON", "Ann Lee Moss", 0.9]])
  })

  test("of one kind that only touch stay two", () => {
    expect(
      merge(
        "张伟李娜",
        [],
        [
          ["PERSON", "张伟"],
          ["PERSON", "李娜"],
        ],
      ),
    ).toEqual([
      ["PERSON", "张伟", 0.9],
      ["PERSON", "李娜", 0.9],
    ])
  })

  test("of different kinds both stay, in the order of the text", () => {
    expect(
      merge(
        "Paris Hilton Paris",
        [],
        [
          ["PERSON", "Paris Hilton"],
          ["GPE", "Paris"],
          ["PERSON", "Hilton Paris"],
        ],
      ),
    ).toEqual([
      ["GPE", "Paris", 0.9],
      ["PERSON", "Paris Hilton Paris", 0.9],
    ])
  })
})

test("what the other kind does not overlap is all there; what it is given stays as it is", () => {
  const patterns = Object.freeze([Object.freeze({ kind: "US_SSN", start: 4, end: 6, probability: 1 })])
  const marked = Object.freeze([Object.freeze({ kind: "PERSON", start: 0, end: 3, probability: 0.5 })])
  expect(mergeEntities("ann 12", patterns, marked)).toEqual([...marked, ...patterns])
  expect(mergeEntities("ann 12", [], [])).toEqual([])
})
