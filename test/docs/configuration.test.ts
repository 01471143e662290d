// docs/configuration.md against the router: its YAML is valid, its broken YAML gives the messages shown, its tables are where prompts go.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse, stringify } from "yaml"
import { type Json, merged, openPage, readBlocks } from "./_page.ts"

const { text: guide, blocks, wholeDocument, load, problemsOf, serve, route } = openPage("configuration.md")
const baseSection = "A second model and a rule"
const base = blocks.find(({ section }) => section === baseSection)?.yaml ?? ""
const present = blocks.filter(({ refusal }) => refusal === undefined)

test("the page has the blocks that the other tests read", () => {
  const sections = blocks.map(({ section }) => section)
  for (const section of ["The smallest document", baseSection, "Several backends", "A whole company"])
    expect(sections).toContain(section)
  expect(blocks.filter(({ refusal }) => refusal !== undefined).length).toBeGreaterThanOrEqual(3)
  expect(present.length).toBeGreaterThan(25)
  const company = blocks.find(({ section }) => section === "A whole company")
  const { routing } = parse(company?.yaml ?? "") as { routing: { decisions: readonly { name: string }[] } }
  expect(company?.rows.map(({ decision }) => decision)).toEqual([...routing.decisions.map(({ name }) => name), "–"])
})

test("every block is valid, alone or inside the document that it belongs to", async () => {
  const wrong: string[] = []
  const readme = readBlocks(readFileSync(join(import.meta.dirname, "../../README.md"), "utf8"))
  expect(readme).toHaveLength(1)
  for (const block of [...present, ...readme]) {
    const problems = await problemsOf(wholeDocument(block))
    wrong.push(...problems.map((problem) => `${block.section}: ${problem}`))
  }
  expect(wrong).toEqual([])
})

test("every block that is refused gives the message below it", async () => {
  const refused = blocks.filter(({ refusal }) => refusal !== undefined)
  const found = await Promise.all(refused.map(({ yaml }) => problemsOf(yaml)))
  expect(found.map((problems) => problems.join("\n"))).toEqual(refused.map(({ refusal }) => refusal))
})

test("the table of refused keys lists only what is refused", async () => {
  const words = (part: string): readonly string[] => {
    const row = guide.split("\n").find((line) => line.startsWith(`| ${part} |`) && !line.includes("| Meaning |"))
    return [...(row?.split("|")[2]?.split(";")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? "")
  }
  const documents: Readonly<Record<string, (word: string) => Json>> = {
    providers: (word) => ({
      providers: { models: [{ name: "other", backend_refs: [{ endpoint: "other:8000", provider: word }] }] },
    }),
  }
  const accepted: string[] = []
  for (const [part, toPart] of Object.entries(documents)) {
    expect(words(part).length, `words in the row ${part}`).toBeGreaterThan(0)
    for (const word of words(part)) {
      const problems = await problemsOf(stringify(merged(parse(base), toPart(word))))
      if (!problems.some((problem) => problem.endsWith("is not supported yet"))) accepted.push(`${part}: ${word}`)
    }
  }
  expect(accepted).toEqual([])
})

test("prompts go where the tables say", async () => {
  const { said, found } = await route(present)
  expect(said.length).toBeGreaterThan(30)
  expect(found).toEqual(said)
})

test("several backends get the requests and the model names that the page says", async () => {
  const block = blocks.find(({ section }) => section === "Several backends")
  const { ask, transport } = await serve(await load(block?.yaml ?? ""))
  const prompts = Array.from({ length: 12 }, (_, index) => `Question ${index}`)
  for (const prompt of prompts) await ask(prompt)
  const seen = transport.requests.map(({ url, body }) => {
    const { model } = JSON.parse(String(body)) as { model: string }
    return `${new URL(url).host} ${model}`
  })
  const everyFour = [...Array<string>(3).fill("10.0.0.7:8000 llama-3.1-8b"), "api.openai.com gpt-5-mini"]
  for (const start of [0, 4, 8]) expect(seen.slice(start, start + 4).toSorted()).toEqual(everyFour)
})
