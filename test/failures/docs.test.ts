import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Asked, failures } from "./_helper.ts"
import { type Row, selectorRows, signalRows } from "./_rows.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/failures.md"), "utf8")

/** As the page writes a table, without the spaces that a formatter may add. */
const table = (...lines: readonly (readonly string[])[]): string =>
  lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")
const compact = page.replaceAll(/ +\|/g, " |").replaceAll(/-{3,}/g, "---")

const isChat = (asked: readonly Asked[] | undefined): boolean => asked?.length === 1 && asked[0] === "chat"

test("the page says the reason of every failure", () => {
  const who = (asked: readonly Asked[] | undefined): string =>
    asked === undefined ? "any model" : isChat(asked) ? "a chat model" : "a worker"
  const lines = failures.map(({ about, reason, asked }) => [about, who(asked), `\`${reason}\``])
  const unique = [...new Map(lines.map((line) => [line.join(), line])).values()]
  expect(compact).toContain(table(["What happens", "Of", "Reason"], ["---", "---", "---"], ...unique))
})

const asksText: Readonly<Record<Asked, string>> = {
  classify: "a classifier",
  spans: "a token classifier",
  embed: "an embedding model",
  decide: "a decision model",
  chat: "a chat model",
}

test("the page has every signal and selector that asks a model", () => {
  const title = ({ method }: Row, name: string): string =>
    method === undefined ? `\`${name}\`` : `\`${name}\`, ${method}`
  const signals = signalRows.map((row) => [
    title(row, row.condition.type),
    asksText[row.asks],
    row.guard === true ? "blocked" : "unknown",
  ])
  const selectors = selectorRows.map((row) => [
    title(row, row.id),
    asksText[row.asks],
    row.withoutHelper === undefined ? "the first candidate" : "what is known without it",
  ])
  expect(compact).toContain(table(["Signal", "Asks", "Without an answer"], ["---", "---", "---"], ...signals))
  expect(compact).toContain(table(["Selector", "Asks", "Without an answer"], ["---", "---", "---"], ...selectors))
})
