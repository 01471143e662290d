// What `npm run quickstart` shows: each of its prompts reaches its decision, with the embedded models.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { samplePrompts } from "../../examples/quickstart/prompts.ts"
import { providersOn, startRouter, startTestBackend } from "./_processes.ts"

const file = join(import.meta.dirname, "../../examples/quickstart/config.yaml")

test("each prompt of the quickstart is answered and reaches its decision", { timeout: 120_000 }, async () => {
  // Its ports may be taken.
  const { listeners: _, ...document } = parse(readFileSync(file, "utf8"))
  const names = document.providers.models.map(({ name }: { readonly name: string }) => name)
  const backend = await startTestBackend()
  const router = await startRouter({ ...document, providers: providersOn(backend.endpoint, ...names) })
  const answered: unknown[] = []
  for (const { text, previous } of samplePrompts) {
    const before = previous === undefined ? [] : [{ role: "assistant", content: previous }]
    const response = await router.ask({ model: "MoM", messages: [...before, { role: "user", content: text }] })
    await response.text()
    answered.push([text, response.status, response.headers.get("x-rtr-selected-decision") ?? undefined])
  }
  expect(answered).toEqual(samplePrompts.map(({ text, decision }) => [text, 200, decision]))
})
