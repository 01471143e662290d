import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/conversations.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeKernel, post } from "../../fakes/kernel.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

type Body = Readonly<Record<string, unknown>>

async function open(settings: object | null = { store_backend: "memory" }) {
  const kernel = await createFakeKernel({
    config: documentWith(settings === null ? {} : { "global.services.response_api": settings }),
  })
  return async (method: string, path: string, body?: object): Promise<readonly [number, Body]> => {
    const url = `http://rtr.example/v1/${path}`
    const got = await kernel.fetch(body === undefined ? new Request(url, { method }) : post(`/v1/${path}`, body))
    return [got.status, (await got.json()) as Body]
  }
}
const user = (content: string) => ({ role: "user", content })

test("a conversation is made, read, changed and deleted", async () => {
  const ask = await open()
  const [status, made] = await ask("POST", "conversations", { items: [user("hi")], metadata: { a: "b" } })
  const path = `conversations/${String(made["id"])}`
  expect([status, made]).toEqual([
    200,
    { id: made["id"], object: "conversation", created_at: expect.any(Number), metadata: { a: "b" } },
  ])
  expect(await ask("GET", path)).toEqual([200, made])
  expect(await ask("POST", path, { metadata: { c: "d" } })).toEqual([200, { ...made, metadata: { c: "d" } }])
  expect(await ask("DELETE", path)).toEqual([200, { id: made["id"], object: "conversation.deleted", deleted: true }])
  expect((await ask("GET", path))[0]).toBe(404)
})

test("its items are added, listed, read and deleted", async () => {
  const ask = await open()
  const [, { id }] = await ask("POST", "conversations", {})
  const path = `conversations/${String(id)}/items`
  const [, added] = await ask("POST", path, { items: [user("one"), user("two")] })
  const [first, second] = added["data"] as readonly Body[]
  expect([first, second]).toMatchObject([{ content: [{ text: "one" }] }, { content: [{ text: "two" }] }])
  expect(await ask("GET", `${path}?limit=1`)).toEqual([
    200,
    { object: "list", data: [second], first_id: second?.["id"], last_id: second?.["id"], has_more: true },
  ])
  expect(await ask("GET", `${path}/${String(first?.["id"])}`)).toEqual([200, first])
  expect(await ask("DELETE", `${path}/${String(first?.["id"])}`)).toMatchObject([200, { id }])
  expect((await ask("GET", `${path}/${String(first?.["id"])}`))[0]).toBe(404)
  expect((await ask("DELETE", `${path}/${String(first?.["id"])}`))[0]).toBe(404)
  expect((await ask("POST", path, { items: [{ role: "user" }] }))[0]).toBe(400)
})

test("without the section there is none", async () => {
  const ask = await open(null)
  expect((await ask("POST", "conversations", {}))[0]).toBe(404)
})
