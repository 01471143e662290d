import { join } from "node:path"
import { createKernel } from "rtr"
import { loadConfig } from "rtr/node"
import { readerOf, signalContract } from "rtr/testing"
import { expect, test } from "vitest"
import shouting from "./shouting.ts"

const rules = [{ name: "loud", min_ratio: 0.7 }]

for (const { name, run } of signalContract(shouting, { rules })) test(name, run)

test("capitals are shouting", async () => {
  const read = await readerOf(shouting, { rules })
  expect(await read("WHERE IS MY ORDER")).toEqual([{ rule: "loud", state: "match", confidence: 1, value: 1 }])
  expect(await read("Where is my order")).toMatchObject([{ state: "no_match" }])
})

test("a decision uses it", async () => {
  const { unexpanded } = await loadConfig(join(import.meta.dirname, "config.yaml"))
  const kernel = await createKernel({ config: unexpanded, modules: { shouting } })
  const body = JSON.stringify({ model: "MoM", messages: [{ role: "user", content: "WHERE IS MY ORDER" }] })
  const headers = { "content-type": "application/json" }
  const response = await kernel.fetch(
    new Request("http://router/v1/chat/completions", { method: "POST", headers, body }),
  )
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: "We hear you. What happened?" } }] })
})
