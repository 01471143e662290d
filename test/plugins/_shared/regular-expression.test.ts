import { describe, expect, test } from "vitest"
import { compilePattern, reportPatterns } from "../../../ts/plugins/_shared/regular-expression.ts"

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
    expect((await compilePattern(source, false)).count(text)).toBe(count),
  )

  test("that matches nothing at all is counted without end in finite time", async () => {
    expect((await compilePattern("x*", true)).count("abc")).toBe(4)
  })

  test("can be asked again and again", async () => {
    const pattern = await compilePattern("a", true)
    expect([pattern.test("a"), pattern.test("a"), pattern.count("aa"), pattern.count("aa")]).toEqual([true, true, 2, 2])
  })

  test("runs in linear time", async () => {
    const startedAt = performance.now()
    for (const source of ["(a+)+$", "(a|aa)+$", "(.*)*x"])
      expect((await compilePattern(source, true)).test(`${"a".repeat(20_000)}!`)).toBe(false)
    // Backtracking would take longer than anybody waits; this only tells the two apart.
    expect(performance.now() - startedAt).toBeLessThan(15_000)
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

  test("takes no time where there is none", () => {
    expect(reportPatterns([], () => {})).toBeUndefined()
  })
})
