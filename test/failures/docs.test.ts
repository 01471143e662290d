import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Asked, failures, services } from "./_helper.ts"
import { replyRows, type Row, selectorRows, signalRows } from "./_rows.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/failures.md"), "utf8")

/** As the page writes a table, without the spaces that a formatter may add. */
const table = (...lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
const compact = page.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---")

/** Compares line by line, so that a line that is missing is named, and then the order. */
function expectTable(...lines: readonly (readonly string[])[]): void {
  const missing = lines.map((cells) => table(cells)).filter((line) => !compact.includes(line))
  expect(missing, "Write these lines into docs/failures.md, in the order of test/failures/_rows.ts").toEqual([])
  expect(compact.includes(table(...lines)), "The lines of a table of docs/failures.md are in another order").toBe(true)
}

test("the page says the reason of every failure", () => {
  const kinds = (
    asked: readonly Asked[] = [...services, "chat", "classify"],
  ): readonly (readonly [string, boolean])[] => [
    ...(asked.includes("chat") ? ([["a chat model", false]] as const) : []),
    ...(asked.some((each) => !services.includes(each) && each !== "chat") ? ([["a worker", false]] as const) : []),
    ...(asked.some((each) => services.includes(each)) ? ([["a server of others", true]] as const) : []),
  ]
  const lines = failures.flatMap(({ about, reason, ofServices = reason, asked }) =>
    kinds(asked).map(([who, isService]) => [about, who, `\`${isService ? ofServices : reason}\``]),
  )
  const told = new Map<string, readonly string[]>()
  for (const [about = "", who = "", reason = ""] of lines) {
    const key = `${about}${reason}`
    told.set(key, [...new Set([...(told.get(key) ?? [about, reason]), who])])
  }
  const rows = [...told.values()].map(([about = "", reason = "", ...who]) => [
    about,
    who.length === 3 ? "any model" : who.join(", "),
    reason,
  ])
  expectTable(["What happens", "Of", "Reason"], ["---", "---", "---"], ...rows)
})

const asksText: Readonly<Record<Asked, string>> = {
  classify: "a classifier",
  spans: "a token classifier",
  embed: "an embedding model",
  decide: "a decision model",
  chat: "a chat model",
  http_chat: "a chat model of others",
  http_classify: "a classifier of others",
}

test("the page has every signal and selector that asks a model", () => {
  const title = ({ method }: Row, name: string): string =>
    method === undefined ? `\`${name}\`` : `\`${name}\`, ${method}`
  const signals = signalRows.map((row) => [
    title(row, row.condition.type),
    asksText[row.asks],
    row.guard === true ? "blocked" : "unknown",
  ])
  const replies = replyRows.map((row) => [title(row, row.id), asksText[row.asks], "no warning"])
  const selectors = selectorRows.map((row) => [
    title(row, row.id),
    asksText[row.asks],
    row.withoutHelper === undefined ? "the first candidate" : "what is known without it",
  ])
  expectTable(["Signal", "Asks", "Without an answer"], ["---", "---", "---"], ...signals, ...replies)
  expectTable(["Selector", "Asks", "Without an answer"], ["---", "---", "---"], ...selectors)
})
