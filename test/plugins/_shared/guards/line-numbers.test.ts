import { expect, test } from "vitest"
import { withoutLineNumbers } from "../../../../ts/plugins/_shared/guards/line-numbers.ts"

const lines = ["Ann:", "\tbe kind", "", "to 7: Bob"]

test.each([
  ["arrows", (line: string, index: number) => `${String(index + 98).padStart(6)}→${line}`, 7],
  ["tabs", (line: string, index: number) => `${index + 1}\t${line}`, 2],
  ["colons", (line: string, index: number) => `${index + 1}:${line}`, 2],
  ["bars", (line: string, index: number) => ` ${index + 1} |${line}`, 4],
])("numbers of lines before %s become blanks", (_, number, width) => {
  const text = `see\n${lines.map(number).join("\n")}\nend`
  const read = `see\n${lines.map((line) => " ".repeat(width) + line).join("\n")}\nend`
  expect(withoutLineNumbers(text)).toBe(read)
})

test.each([
  ["three lines", "1\ta\n2\tb\n3\tc"],
  ["numbers that do not count on", "1\ta\n3\tb\n5\tc\n7\td"],
  ["numbers with lines between them", "1\ta\nb\n2\tc\n3\td"],
  ["numbers behind other ends of lines", "1\ta\r2\tb\u20283\tc\r4\td\n"],
])("keeps %s", (_, text) => expect(withoutLineNumbers(text)).toBe(text))

test("as many lines as a request may have", () => {
  const text = Array.from({ length: 150_000 }, (_, index) => `${index}:`).join("\n")
  expect(withoutLineNumbers(text).trim()).toBe("")
})
