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
  expect(rows).toHaveLength(3)
  for (const { verdict, of, prompt, model } of rows) {
    const kernel = await createFakeKernel({ config: yaml })
    onTestFinished(() => kernel.close())
    const ask = async () => (await kernel.fetch(chat(prompt))).headers
    if (verdict !== undefined) {
      const { headers } = await kernel.fetch(chat("read this contract"))
      expect(headers.get("x-rtr-selected-model")).toBe(of)
      const outcome = { replay_id: headers.get("x-request-id"), target: "model", verdict }
      const reply = await kernel.management.fetch(post("/api/v1/observability/outcomes", outcome))
      expect(await reply.json()).toMatchObject({ success: true, updated: 1 })
    }
    expect((await ask()).get("x-rtr-selected-model"), prompt).toBe(model)
  }
})
