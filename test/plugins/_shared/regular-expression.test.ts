import { describe, expect, test } from "vitest"
import { finish } from "../../../ts/kernel/host/work.ts"
import { compilePattern, pieceCharacters, reportPatterns } from "../../../ts/plugins/_shared/regular-expression.ts"

describe("a pattern", () => {
  test.each([
    ["re+fund", "REEEFUND", true, false],
    ["^a.c$", "abc", true, true],
    ["^a.c$", "xabc", false, false],
    ["(?i)abc", "ABC", true, true],
    ["\\bcat\\b", "a cat.", true, true],
    ["\\p{Han}", "漢", true, true],
    ["[0-9]{4}", "year 2024", true, true],
    ["", "anything", true, true],
  ])("%s in %j", async (source, text, without, withCase) => {
    const patterns = await Promise.all([compilePattern(source, false), compilePattern(source, true)])
    expect(patterns.map((pattern) => pattern.test(text))).toEqual([without, withCase])
  })

  test.each([
    ["a", "banana", 3],
    ["an", "banana", 2],
    ["ana", "banana", 1],
    ["x", "banana", 0],
    ["[0-9]+", "1 22 333", 3],
    ["A", "aAa", 3],
  ])("%s occurs in %s %i times", async (source, text, count) =>
    expect(finish((await compilePattern(source, false)).counting(text))).toBe(count),
  )

  test("that matches nothing at all is counted without end in finite time", async () => {
    expect(finish((await compilePattern("x*", true)).counting("abc"))).toBe(4)
  })

  test("can be asked again and again", async () => {
    const pattern = await compilePattern("a", true)
    expect([pattern.test("a"), pattern.test("a")]).toEqual([true, true])
    expect([finish(pattern.counting("aa")), finish(pattern.counting("aa"))]).toEqual([2, 2])
  })

  test("runs in linear time", async () => {
    const startedAt = performance.now()
    for (const source of ["(a+)+$", "(a|aa)+$", "(.*)*x"])
      expect((await compilePattern(source, true)).test(`${"a".repeat(20_000)}!`)).toBe(false)
    // Backtracking would take longer than anybody waits; this only tells the two apart.
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })
})

describe("a long text", () => {
  const searched = async (source: string, text: string): Promise<boolean | undefined> =>
    finish((await compilePattern(source, false)).testing(text))
  const counted = async (source: string, text: string): Promise<number | undefined> =>
    finish((await compilePattern(source, false)).counting(text))

  test("is read in pieces, whose ends are none of the text", async () => {
    const text = `${"word ".repeat(30_000)}needle ${"word ".repeat(3000)}`
    for (const [source, found] of [
      ["needle", true],
      ["\\bneedle\\b", true],
      ["needle +word", true],
      ["haystack", false],
      ["wor\\b", false],
      ["\\bord", false],
      // Nobody has seen both ends at once.
      ["^needle", undefined],
      ["^word", true],
      ["word $", true],
      ["needle$", undefined],
    ] as const)
      expect([source, await searched(source, text)]).toEqual([source, found])
  })

  test("is counted in pieces as in one", async () => {
    const text = "ab cab 12 ".repeat(20_000)
    for (const source of ["ab", "\\bab\\b", "[a-z]+", "\\d", "ab c?", "b 1|12 a"]) {
      const inOne = text.match(new RegExp(source, "g"))?.length
      expect([source, await counted(source, text)]).toEqual([source, inOne])
    }
    expect(await counted("^ab", text)).toBe(undefined)
  })

  test("over the limit is read up to there", async () => {
    const long = "a ".repeat(200_000)
    expect(await searched("needle", `needle ${long}`)).toBe(true)
    expect(await searched("needle", `${long} needle`)).toBe(undefined)
    expect(await searched("a $", long)).toBe(undefined)
    expect(await counted("needle", long)).toBe(undefined)
  })

  test("is read in smaller pieces for a larger pattern", async () => {
    const { size, testing, counting } = await compilePattern("(needle|[a-z]{300}x)", false)
    expect([size > 300, pieceCharacters(size) < 2000]).toEqual([true, true])
    expect(finish(testing(`${"a ".repeat(12_000)}needle`))).toBe(true)
    expect(finish(counting(`${"needle ".repeat(3000)}${"y".repeat(300)}x`))).toBe(3001)
  })
})

describe("what is wrong with a pattern", () => {
  const problemsOf = async (pattern: string): Promise<readonly string[]> => {
    const found: string[] = []
    await reportPatterns([{ pattern, path: [0, "pattern"] }], (path, message) =>
      found.push(`${path.join(".")} ${message}`),
    )
    return found
  }

  test.each(["a", "(a)", "[a-z]+", "\\d{2,4}", "(?i)x", "(?P<name>x)"])("%s: nothing", async (source) =>
    expect(await problemsOf(source)).toEqual([]),
  )

  test.each(["(", ")", "[", "a{2,1}", "*", "\\", "(?<=a)b", "(?=a)", "(a)\\1", "a**"])(
    "%s: something",
    async (source) => {
      expect(await problemsOf(source)).toEqual([
        expect.stringMatching(/^0\.pattern is not a valid pattern: error parsing regexp/),
      ])
      await expect(compilePattern(source, true)).rejects.toThrow("error parsing regexp")
    },
  )

  test.each([
    ["a{1000}".repeat(4), /^0\.pattern makes a program of 4002 instructions; the most are 4000\./],
    ["\\pL{1000}".repeat(4), /^0\.pattern makes a program of 400\d instructions/],
    ["a".repeat(100_000), /^0\.pattern has 100000 characters; a pattern has at most 4096\./],
    ["(a{1000}){1000}", /^0\.pattern is not a valid pattern: .*invalid repeat count/],
  ])("%.20s: what it costs", async (source, message) =>
    expect(await problemsOf(source)).toEqual([expect.stringMatching(message)]),
  )

  test("is that they are too many", async () => {
    const found: string[] = []
    const patterns = Array.from({ length: 1002 }, (_, index) => ({ pattern: "a", path: [index] }))
    await reportPatterns(patterns, (path, message) => found.push(`${path.join(".")} ${message}`))
    expect(found).toEqual(["1000 is pattern 1001 of this signal; the most are 1000. Join some with |"])
  })

  test("takes no time where there is none", () => {
    expect(reportPatterns([], () => {})).toBeUndefined()
  })
})
