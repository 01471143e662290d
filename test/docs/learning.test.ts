// docs/learning.md against the router: its document is valid, and its table is where requests go after outcomes.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { chat, createFakeKernel, post } from "../fakes/kernel.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/learning.md"), "utf8")
const yaml = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? ""
const rows = [...page.matchAll(/^\| (–|`(\w+)` of (\w+)) \| (.+?) \| (\w+) \|$/gm)].map(
  ([, , verdict, of, prompt = "", model = ""]) => ({ verdict, of, prompt, model }),
)

test("requests go where the table says, after the outcomes that it names", async () => {
  const found = []
  for (const { verdict, prompt } of rows) {
    const kernel = await createFakeKernel({ config: yaml })
    onTestFinished(() => kernel.close())
    const ask = async (text: string) => (await kernel.fetch(chat(text))).headers
    const before = verdict === undefined ? undefined : await ask("read this contract")
    const outcome = { replay_id: before?.get("x-request-id"), target: "model", verdict }
    if (before !== undefined) await kernel.management.fetch(post("/api/v1/observability/outcomes", outcome))
    const of = before?.get("x-rtr-selected-model") ?? undefined
    found.push({ verdict, of, prompt, model: (await ask(prompt)).get("x-rtr-selected-model") })
  }
  expect(rows).toHaveLength(3)
  expect(found).toEqual(rows)
})
