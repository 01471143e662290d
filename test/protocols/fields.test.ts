// What becomes of each field of a request: the table in docs/protocols.md is what the router does.

import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fieldsTable, outcomeOf, protocolIds, sentFor } from "./fields-table.ts"
import { fieldsOf } from "./fields.ts"
import { createProtocolRouter } from "./router.ts"

const page = join(import.meta.dirname, "../../docs/protocols.md")
const begin = "<!-- fields: `WRITE_FIELDS=1 npm test -- test/protocols/fields.test.ts` writes them anew -->\n"
const end = "\n<!-- end of fields -->"

test("docs/protocols.md says what becomes of each field", async () => {
  const table = await fieldsTable(await createProtocolRouter())
  const committed = readFileSync(page, "utf8")
  const [before = "", rest = ""] = committed.split(begin)
  const written = before + begin + table + end + (rest.split(end)[1] ?? "")
  if (process.env["WRITE_FIELDS"] === "1") writeFileSync(page, written)
  expect(readFileSync(page, "utf8")).toBe(written)
})

test("a backend of the client's own protocol gets every field as it was sent", async () => {
  const router = await createProtocolRouter()
  for (const protocol of protocolIds)
    for (const { path, given } of fieldsOf[protocol].cases) {
      const sent = await sentFor(router, { client: protocol, backend: protocol, fields: given })
      expect([path, sent]).toEqual([path, { model: "upstream", ...fieldsOf[protocol].base, ...given }])
    }
})

test("an unknown field goes to backends of the same protocol only", async () => {
  const router = await createProtocolRouter()
  const field = { path: "x_own", given: { x_own: { a: [1] } }, without: {} }
  for (const client of protocolIds)
    for (const backend of protocolIds)
      expect([client, backend, await outcomeOf(router, { client, backend, field })]).toEqual([
        client,
        backend,
        client === backend ? { outcome: "kept", dropped: [] } : { outcome: "left out", dropped: ["x_own"] },
      ])
})

test("the router names the fields of a body that a backend does not get, and no others", async () => {
  const router = await createProtocolRouter()
  const named: string[] = []
  const leftOut: string[] = []
  for (const client of protocolIds)
    for (const backend of protocolIds)
      for (const field of fieldsOf[client].cases) {
        const { outcome, dropped } = await outcomeOf(router, { client, backend, field })
        const at = `${client} to ${backend}, ${field.path}:`
        const added = Object.keys(field.given).filter((name) => !(name in field.without))
        named.push(...dropped.map((name) => `${at} ${name}`))
        if (outcome === "left out") leftOut.push(...added.map((name) => `${at} ${name}`))
      }
  expect(leftOut).toContain("chat_completions to messages, seed: seed")
  expect(named).toEqual(leftOut)
})
