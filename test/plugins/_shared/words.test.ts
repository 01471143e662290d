import { expect, test } from "vitest"
import { finish } from "../../../ts/kernel/host/work.ts"
import {
  anyOf,
  anyWord,
  countUnits,
  countWords,
  createWords,
  eachOf,
  maxSearchedCharacters,
  wordsOf,
} from "../../../ts/plugins/_shared/words.ts"
import { createRandom } from "../../fakes/random.ts"

/** What the search for words has to find, as one pattern. */
function wordPattern(literal: string): string {
  const source = literal.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(literal)) return source
  const letter = "[\\p{L}\\p{N}_]"
  const [first, last] = [/^[\p{L}\p{N}_]/u.test(literal), /[\p{L}\p{N}_]$/u.test(literal)]
  return `${first ? `(?<!${letter})` : ""}${source}${last ? `(?!${letter})` : ""}`
}

const finds = (literal: string, text: string): boolean => anyWord([literal], true).test(text)

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
    expect([literal, text, finds(literal, text)]).toEqual([literal, text, found])
})

test("any of several words is found, with or without regard to case", () => {
  expect(["one", "TWO", "three"].map((text) => anyWord(["one", "two"], false).test(text))).toEqual([true, true, false])
  expect(["one", "TWO"].map((text) => anyWord(["one", "two"], true).test(text))).toEqual([true, false])
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
])("%j has %i units", (text, units) => expect(finish(countUnits(text))).toBe(units))

test("long lists of words are found as short ones are", () => {
  const many = Array.from({ length: 5000 }, (_, index) => `word${index}abc`)
  const find = anyWord([...many, "größe", "two words", "c++", "中文", "Straße"], false)
  for (const text of ["hello WORD4999abc!", "die Größe zählt", "TWO WORDS", "I like C++", "这是中文吗", "Straße"])
    expect([text, find.test(text)]).toEqual([text, true])
  for (const text of ["word4999abcd", "hello", "größer", "two  words", "words two", ""])
    expect([text, find.test(text)]).toEqual([text, false])
  const exact = anyWord([...many, "Größe"], true)
  expect([exact.test("Größe"), exact.test("größe")]).toEqual([true, false])
})

test("words of a long text are counted in pieces as in one", () => {
  const random = createRandom(5)
  const literals = ["cat", "new york", "𐐷a", "漢字", "c++", "K", "x".repeat(300)]
  const pattern = new RegExp(literals.map(wordPattern).join("|"), "giu")
  const words = createWords(literals, false)
  for (let round = 0; round < 20; round++) {
    let text = ""
    // Words wherever pieces may end, and letters beside them.
    while (text.length < 40_000) text += random.pick([...literals, " ", " ", "_", "é", "𐐷", "CAT", "\ud83d", "k"])
    expect(finish(countWords(text, words))).toBe(text.match(pattern)?.length)
    const from = 8190 + random.below(4)
    const [single, joined] = [`${" ".repeat(from)}cat `, `${"a".repeat(from)}cat `]
    expect([single, joined].map((each) => finish(countWords(each, words)))).toEqual([1, 0])
  }
})

test("words are found as a pattern of each with its boundaries finds them", () => {
  const random = createRandom(11)
  const parts = [
    "a",
    "A",
    "b",
    "ſ",
    "s",
    "σ",
    "ς",
    "Σ",
    "ß",
    "ẞ",
    "ss",
    "é",
    "k",
    "\u212a",
    " ",
    "-",
    "+",
    "漢",
    "𐐷",
    "𐐏",
    "ı",
    "I",
    "i",
    "\ud83d",
    "_",
  ]
  const make = (most: number): string =>
    Array.from({ length: 1 + random.below(most) }, () => random.pick(parts)).join("")
  for (let round = 0; round < 300; round++) {
    const literals = Array.from({ length: 1 + random.below(5) }, () => make(3))
    const text = Array.from({ length: 6 }, () => random.pick([...literals, ...parts, " "])).join("")
    for (const caseSensitive of [false, true]) {
      const flags = caseSensitive ? "u" : "iu"
      const isFound = (literal: string): boolean => new RegExp(wordPattern(literal), flags).test(text)
      const [isAnyFound, isEveryFound] = [literals.some(isFound), literals.every(isFound)]
      const any = anyWord(literals, caseSensitive)
      const each = literals.map((literal) => anyWord([literal], caseSensitive))
      const counted = finish(countWords(text, createWords(literals, caseSensitive)))
      expect([literals, text, any.test(text), finish(any.testing(text))]).toEqual([
        literals,
        text,
        isAnyFound,
        isAnyFound,
      ])
      expect([literals, text, each.every((one) => one.test(text)), finish(eachOf(each, text))]).toEqual([
        literals,
        text,
        isEveryFound,
        isEveryFound,
      ])
      const matches = text.match(new RegExp(literals.map(wordPattern).join("|"), `g${flags}`)) ?? []
      expect([literals, text, counted]).toEqual([literals, text, matches.length])
    }
  }
})

test("the patterns of ten thousand rules are small", () => {
  const before = process.memoryUsage().heapUsed
  const finders = Array.from({ length: 10_000 }, (_, rule) =>
    anyWord(
      Array.from({ length: 5 }, (__, index) => `word${rule}x${index}`),
      false,
    ),
  )
  // With the classes of letters in each pattern it was more than 500 MB.
  expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(150)
  expect(finders.filter((finder) => finder.test("a word9999x4."))).toEqual([finders[9999]])
})

test("a long text is searched as a short one is, up to the limit", () => {
  const many = Array.from({ length: 500 }, (_, index) => `word${index}`)
  for (const find of [anyWord(["needle"], false), anyWord([...many, "needle"], false)]) {
    expect(finish(find.testing(`${"a ".repeat(100_000)}Needle`))).toBe(true)
    expect(finish(find.testing("a ".repeat(100_000)))).toBe(false)
    expect(finish(find.testing(`${" ".repeat(maxSearchedCharacters)} needle`))).toBe(undefined)
  }
})

test("what was not read decides only where nothing else does", () => {
  const [yes, no, open] = [true, false, undefined].map((answer) => ({
    test: () => answer === true,
    *testing() {
      yield
      return answer
    },
  })) as [never, never, never]
  expect([[open, yes], [no, open], [no], []].map((finders) => finish(anyOf(finders, "")))).toEqual([
    true,
    undefined,
    false,
    false,
  ])
  expect([[yes, open], [open, no], [yes], []].map((finders) => finish(eachOf(finders, "")))).toEqual([
    undefined,
    false,
    true,
    true,
  ])
})
