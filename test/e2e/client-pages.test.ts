// The pages of docs/clients do what they say: their code runs against a router, and prints what stands below it.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { checkPage, missingLanguages, type PageRun, readBlocks } from "./_client-pages.ts"
import { startRouter } from "./_processes.ts"
import { pythonClients, pythonEnvironment } from "./_python.ts"
import { startScriptedModel } from "./_scripted-model.ts"

const folder = join(import.meta.dirname, "../../docs/clients")
const read = (name: string): string => readFileSync(join(folder, name), "utf8")
const index = read("README.md")
const python = await pythonClients()
const pages = readdirSync(folder).filter((name) => name.endsWith(".md") && name !== "README.md")

let run: PageRun
beforeAll(async () => {
  const model = await startScriptedModel()
  const backends = {
    "127.0.0.1:11434": model.endpoint,
    "https://api.anthropic.com": model.url,
    "https://api.openai.com": model.url,
  }
  let yaml = /^```yaml\n(.*?)^```$/ms.exec(index)?.[1] ?? ""
  for (const [documented, running] of Object.entries(backends)) yaml = yaml.replaceAll(documented, running)
  const document = { ...(parse(yaml) as object), listeners: [{ name: "test", address: "127.0.0.1", port: 0 }] }
  const router = await startRouter(document, { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })
  run = {
    address: new URL(router.url).host,
    interpreters: "bin" in python ? { python: [join(python.bin, "python"), "-"] } : {},
    environment: pythonEnvironment,
  }
})

test("the index names every page", () => {
  expect(pages.filter((name) => !index.includes(`](${name})`))).toEqual([])
})

for (const name of pages)
  test(name, async ({ skip }) => {
    const blocks = readBlocks(read(name))
    const missing = missingLanguages(blocks, run)
    skip(missing.length > 0, "missing" in python ? python.missing : `there is no interpreter for ${missing.join()}`)
    expect(await checkPage(blocks, run)).toEqual([])
  })

test("a page that promises something else, fails or runs nothing is found", async () => {
  const wrong = async (page: string): Promise<string> => (await checkPage(readBlocks(page), run)).join()
  expect(await wrong("```js\nconst a = 1\n```\n\n```js\nconsole.log(a)\n```\n\n```text\n1\n```\n")).toBe("")
  expect(await wrong("```sh\necho id-7 end\n```\n\n```text\nid-… end\n```\n")).toBe("")
  expect(await wrong("```js\nconsole.log(1)\n```\n\n```text\n2\n```\n")).toMatch(/line 1 prints\n1\ninstead of\n2/)
  expect(await wrong("```js\nconsole.log(1)\n```\n")).toMatch(/line 1 prints\n1/)
  expect(await wrong("```sh\ntrue\n```\n\n```sh\nfalse\n```\n")).toMatch(/line 5 failed: 1/)
  expect(await wrong("```toml file=~/.a/b.toml\nx\n```\n\n```sh\ncat ~/.a/b.toml\n```\n\n```text\nx\n```\n")).toBe("")
  expect(await wrong("<!-- not run: it installs -->\n```sh\nfalse\n```\n")).toMatch("no block of the page runs")
})
