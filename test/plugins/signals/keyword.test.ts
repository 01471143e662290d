import { readerOf, signalContract } from "rtr/testing"
import MiniSearch from "minisearch"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import keyword from "../../../ts/plugins/signals/keyword.ts"

const rule = (options: object): never => ({ name: "rule", operator: "OR", keywords: ["refund"], ...options }) as never
const stateOf = async (options: object, text: string): Promise<string | undefined> =>
  (await (await readerOf(keyword as never, { rules: [rule(options)] }))(text))[0]?.state

describe("contract", () => {
  const rules = [
    rule({ name: "exact" }),
    rule({ name: "fuzzy", fuzzy_match: true }),
    rule({ name: "regex", method: "regex", keywords: ["re+fund"] }),
    rule({ name: "bm25", method: "bm25" }),
    rule({ name: "ngram", method: "ngram" }),
    rule({ name: "none", operator: "NOR" }),
  ]
  for (const { name, run } of signalContract(keyword, {
    rules,
    invalidRules: [rule({ name: "broken", method: "regex", keywords: ["("] })],
  }))
    test(name, run)
})

test("more keywords than the memory is meant to hold are refused, at the rule where they become too many", async () => {
  const problemsOf = async (rules: readonly object[]): Promise<readonly string[]> => {
    const found: string[] = []
    await keyword.check?.(rules as never, (path, message) => found.push(`${path.join(".")} ${message}`))
    return found
  }
  const words = Array.from({ length: 10 }, (_, index) => `word${index}`)
  const rules = Array.from({ length: 5001 }, (_, index) => rule({ name: `rule${index}`, keywords: words }))
  expect(await problemsOf(rules.slice(0, 5000))).toEqual([])
  expect(await problemsOf(rules)).toEqual([
    "5000.keywords makes it 50010 keywords of 250050 characters in this signal; the most are 50000 of 2000000",
  ])
  expect(await problemsOf([rule({ keywords: ["x".repeat(2_000_001)] })])).toHaveLength(1)
})

describe("exact words", () => {
  test.each([
    ["I want a refund now", "match"],
    ["REFUND!", "match"],
    ["refunds are not refundable", "no_match"],
  ])("%s → %s", async (text, state) => expect(await stateOf({}, text)).toBe(state))

  test("letters beyond ASCII count as letters at a word's edge", async () => {
    expect(await stateOf({ keywords: ["café"] }, "un café noir")).toBe("match")
    expect(await stateOf({ keywords: ["caf"] }, "un café noir")).toBe("no_match")
  })

  test("keywords of symbols and of scripts without spaces match anywhere", async () => {
    expect(await stateOf({ keywords: ["C++"] }, "my C++ code")).toBe("match")
    expect(await stateOf({ keywords: ["退款"] }, "我想要退款。")).toBe("match")
  })

  test("AND needs every keyword and NOR none", async () => {
    expect(await stateOf({ operator: "AND", keywords: ["refund", "order"] }, "refund my order")).toBe("match")
    expect(await stateOf({ operator: "AND", keywords: ["refund", "order"] }, "refund me")).toBe("no_match")
    expect(await stateOf({ operator: "NOR" }, "hello")).toBe("match")
    expect(await stateOf({ operator: "NOR" }, "refund")).toBe("no_match")
  })

  test("case can matter", async () => {
    expect(await stateOf({ case_sensitive: true, keywords: ["IT"] }, "it works")).toBe("no_match")
    expect(await stateOf({ case_sensitive: true, keywords: ["IT"] }, "ask IT")).toBe("match")
  })
})

describe("scored methods", () => {
  test("fuzzy accepts typos up to the threshold", async () => {
    expect(await stateOf({ fuzzy_match: true }, "I want a refnud")).toBe("match")
    expect(await stateOf({ method: "fuzzy", fuzzy_threshold: 1 }, "I want a refnud")).toBe("no_match")
  })

  test("BM25 stems words and ignores stop words", async () => {
    expect(await stateOf({ method: "bm25", keywords: ["payment refunds"] }, "was the payment refunded?")).toBe("match")
    expect(await stateOf({ method: "bm25", keywords: ["where is the"] }, "where is the cat")).toBe("no_match")
  })

  test("n-grams accept similar words", async () => {
    expect(await stateOf({ method: "ngram", keywords: ["kubernetes"] }, "my kubernetis cluster")).toBe("match")
    expect(await stateOf({ method: "ngram", keywords: ["kubernetes"] }, "my cat")).toBe("no_match")
  })

  test("search a text once, however many keywords a rule has", async () => {
    const keywords = Array.from({ length: 20 }, (_, index) => `keyword${index}`)
    const text = `unrelated words and ${keywords.slice(0, 19).join(" ")}`
    const search = vi.spyOn(MiniSearch.prototype, "search")
    const fold = vi.spyOn(String.prototype, "toLowerCase")
    onTestFinished(() => void vi.restoreAllMocks())
    for (const method of ["bm25", "ngram", "fuzzy"]) {
      const given = { method, keywords, operator: "AND", fuzzy_threshold: 0, ngram_threshold: 1 }
      const read = await readerOf(keyword as never, { rules: [rule(given)] })
      search.mockClear()
      fold.mockClear()
      await read(text)
      // N-grams and typos fold the text to lower case before they look at its words.
      const searches = fold.mock.contexts.filter((folded) => String(folded) === text).length
      expect([method, method === "bm25" ? search.mock.calls.length : searches]).toEqual([method, 1])
    }
  })

  test("find each keyword of AND", async () => {
    for (const method of ["bm25", "ngram", "fuzzy"]) {
      const given = { method, operator: "AND", keywords: ["refund", "order"] }
      const states = [await stateOf(given, "refund my orders"), await stateOf(given, "refund me")]
      expect([method, ...states]).toEqual([method, "match", "no_match"])
    }
  })

  test("a text that is too long to score is unknown unless the part that was read settles it", async () => {
    const padding = "filler ".repeat(20_000)
    expect(await stateOf({ fuzzy_match: true }, `refund ${padding}`)).toBe("match")
    expect(await stateOf({ fuzzy_match: true }, `${padding} refund`)).toBe("unknown")
    expect(await stateOf({ fuzzy_match: true, operator: "NOR" }, `refund ${padding}`)).toBe("no_match")
    expect(await stateOf({ fuzzy_match: true, operator: "NOR" }, `${padding} refund`)).toBe("unknown")
  })

  test("patterns run in linear time", async () => {
    const startedAt = performance.now()
    expect(await stateOf({ method: "regex", keywords: ["(a+)+$"] }, `${"a".repeat(50_000)}!`)).toBe("no_match")
    // Backtracking would take longer than the universe has been there; this only tells the two apart.
    expect(performance.now() - startedAt).toBeLessThan(10_000)
  })
})

describe("keys of another method", () => {
  test.each([
    [{ method: "bm25", fuzzy_threshold: 3 }, ["0.fuzzy_threshold has no effect with method: bm25 (warning)"]],
    [{ fuzzy_threshold: 3 }, ["0.fuzzy_threshold has no effect without method: fuzzy (warning)"]],
    [{ fuzzy_match: true, fuzzy_threshold: 3 }, []],
    [{ method: "fuzzy", fuzzy_threshold: 3 }, []],
    [{ method: "regex", fuzzy_match: true }, ["0.fuzzy_match has no effect with method: regex (warning)"]],
    [
      { method: "exact", ngram_arity: 3, ngram_threshold: 0.4, bm25_threshold: 1 },
      [
        "0.bm25_threshold has no effect without method: bm25 (warning)",
        "0.ngram_threshold has no effect without method: ngram (warning)",
        "0.ngram_arity has no effect without method: ngram (warning)",
      ],
    ],
  ])("%j: %j", async (entry, expected) => {
    const found: string[] = []
    const rules = [{ name: "r", operator: "OR", keywords: ["a"], ...entry }]
    await keyword.check?.(rules as never, (path, message, severity) =>
      found.push(`${path.join(".")} ${message} (${severity})`),
    )
    expect(found).toEqual(expected)
  })
})

describe("an empty keyword", () => {
  const states = async (operator: "AND" | "OR" | "NOR", keywords: string[], more: object = {}) => {
    const rules = [{ name: "r", operator, keywords, ...more }]
    const read = await readerOf(keyword as never, { rules: rules as never })
    return [await read("any text"), await read(""), await read("x ".repeat(200_000))].map(([fact]) => fact?.state)
  }
  const [all, none] = [Array(3).fill("match"), Array(3).fill("no_match")]

  test("is in every text", async () => {
    expect(await states("OR", [""])).toEqual(all)
    expect(await states("OR", ["", "urgent"])).toEqual(all)
    expect(await states("AND", [""])).toEqual(all)
    expect(await states("NOR", [""])).toEqual(none)
    expect(await states("OR", [""], { method: "fuzzy" })).toEqual(all)
    expect(await states("OR", [""], { method: "regex" })).toEqual(all)
  })

  test("leaves the others their say where all are needed", async () => {
    expect((await states("AND", ["", "any"])).slice(0, 2)).toEqual(["match", "no_match"])
  })

  test("is like no text", async () => {
    expect(await states("OR", [""], { method: "bm25" })).toEqual(none)
    expect(await states("AND", ["", "any"], { method: "ngram" })).toEqual(none)
    expect((await states("OR", ["", "any text"], { method: "ngram" })).slice(0, 2)).toEqual(["match", "no_match"])
  })
})
