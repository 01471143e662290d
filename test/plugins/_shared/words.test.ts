import { expect, test } from "vitest"
import { countUnits, toSearchedText, wordFinder, wordPattern, wordsOf } from "../../../ts/plugins/_shared/words.ts"

const byPattern = (literal: string, text: string, flags = "u"): boolean =>
  new RegExp(wordPattern(literal), flags).test(text)
const bySearch = (literal: string, text: string, caseSensitive = true): boolean =>
  wordFinder(literal, caseSensitive)(toSearchedText(text))

const cases: readonly (readonly [literal: string, text: string, found: boolean])[] = [
  ["cat", "a cat.", true],
  ["cat", "cat", true],
  ["cat", "category", false],
  ["cat", "bobcat", false],
  ["cat", "cat_1", false],
  ["cat", "cat's", true],
  ["cat", "cat-like", true],
  ["café", "un café!", true],
  ["caf", "un café", false],
  ["я", "это я.", true],
  ["я", "яма", false],
  ["ß", "groß", false],
  ["42", "is 42", true],
  ["42", "421", false],
  ["C++", "in C++ code", true],
  ["C++", "C++20", true],
  ["C++", "ABC++", false],
  [".NET", "use .NET now", true],
  [".NET", "ASP.NET", true],
  [".NET", ".NETX", false],
  ["++", "a++b", true],
  ["退款", "我想要退款。", true],
  ["カタ", "アカタナ", true],
  ["한국", "한국어", true],
  ["new york", "in New York", false],
  ["new york", "in new york city", true],
  ["a.b", "axb", false],
  ["(x)", "f(x)", true],
  ["$5", "pay $5", true],
  ["a|b", "a", false],
  ["[x]", "x", false],
  ["\\d", "5", false],
  ["a/b", "a/b", true],
]

test("a word is found where it stands alone, and what has no word boundaries anywhere", () => {
  for (const [literal, text, found] of cases)
    expect([literal, text, byPattern(literal, text), bySearch(literal, text)]).toEqual([literal, text, found, found])
})

test("plain searching finds what the pattern finds, with or without regard to case", () => {
  const literals = ["one", "One", "a", "é", "\u017ft", "k", "_x", "1", "+1", "new york", "O'Neil"]
  const texts = ["one", "ONE two", "phone one_", "x éa", "St", "\u212a", "A k", "_X 1", "c+1 +11", "New York's", "o'neils O'NEIL", ""]
  for (const literal of literals)
    for (const text of texts)
      for (const flags of ["u", "iu"])
        expect([literal, text, flags, bySearch(literal, text, flags === "u")]).toEqual([
          literal,
          text,
          flags,
          byPattern(literal, text, flags),
        ])
})

test.each([
  ["", []],
  ["One one ONE", ["one"]],
  ["don't stop", ["don", "t", "stop"]],
  ["a1 b-2", ["a1", "b", "2"]],
  ["ÜBER über", ["über"]],
  ["漢字 abc", ["漢字", "abc"]],
])("the words of %j are %j", (text, words) => expect([...wordsOf(text)]).toEqual(words))

test.each([
  ["", 0],
  ["hello world", 2],
  ["漢字", 2],
  ["漢字 abc", 3],
  ["abc漢def", 3],
  ["abc123", 2],
  ["1,000", 2],
  ["!!! ...", 0],
  ["日本語テキスト한국", 9],
  ["über straße", 2],
])("%j has %i units", (text, units) => expect(countUnits(text)).toBe(units))
