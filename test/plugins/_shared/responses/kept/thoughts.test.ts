import { createFakeInference } from "rtr/testing"
import { expect, test, vi } from "vitest"
import { createFakeKernel, post } from "../../../../fakes/kernel.ts"
import { createFakeTransport } from "../../../../fakes/transport.ts"

type Body = Readonly<Record<string, unknown>>

const sealed = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "gAAA",
}
const fromResponses = {
  id: "resp_own",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  output: [
    sealed,
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Done.", annotations: [] }],
    },
  ],
}
const thinking = { type: "thinking", thinking: "I see.", signature: "c2ln" }
const fromMessages = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [thinking, { type: "text", text: "Done." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
}

async function setUp(changes: object = {}) {
  const asked: Body[] = []
  const transport = createFakeTransport(({ body, url }) => {
    asked.push(JSON.parse(body ?? "{}") as Body)
    const json = url.includes("messages.example") ? fromMessages : fromResponses
    return { headers: { "content-type": "application/json" }, body: JSON.stringify(json) }
  })
  const responses = (name: string): object => ({
    name,
    api_format: "responses",
    backend_refs: [{ base_url: "https://responses.example/v1", provider: "openai", api_key: "k" }],
  })
  const messages = (name: string): object => ({
    name,
    backend_refs: [{ base_url: "https://messages.example", provider: "anthropic", api_key: "k" }],
  })
  const kernel = await createFakeKernel({
    transport,
    inference: createFakeInference({ labels: ["benign", "jailbreak"], classify: () => [0.9, 0.1] }),
    config: {
      version: "v0.3",
      listeners: [{ name: "main", address: "127.0.0.1", port: 8801 }],
      providers: {
        defaults: { model: "thinker" },
        models: [responses("thinker"), responses("other"), messages("claude"), messages("claudia")],
      },
      global: { services: { response_api: { store_backend: "memory" } } },
      routing: {},
      ...changes,
    },
  })
  const call = async (path: string, body: object): Promise<Body> =>
    (await (await kernel.fetch(post(path, body))).json()) as Body
  return {
    kernel,
    call,
    ask: (body: object): Promise<Body> => call("/v1/responses", { model: "thinker", input: "hi", ...body }),
    /** The conversation that the last backend got. */
    heard: (): readonly Body[] => {
      const { input, messages: given } = asked.at(-1) ?? {}
      const items = input ?? given
      return Array.isArray(items) ? (items as readonly Body[]) : []
    },
  }
}
type Router = Awaited<ReturnType<typeof setUp>>

/** What the last backend heard of thoughts. */
const thoughtsIn = ({ heard }: Router): readonly unknown[] =>
  heard().flatMap((each) => {
    const content = Array.isArray(each["content"]) ? (each["content"] as readonly Body[]) : []
    return [each, ...content].filter(({ type }) => type === "reasoning" || type === "thinking")
  })

test("what a model thought goes back to it, whole, when a chain goes on", async () => {
  const router = await setUp()
  const first = await router.ask({})
  await router.ask({ previous_response_id: first["id"] })
  expect(router.heard()).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
    sealed,
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done.", annotations: [] }] },
    { type: "message", role: "user", content: "hi" },
  ])
  const said = await router.ask({ model: "claude" })
  await router.ask({ model: "claude", previous_response_id: said["id"] })
  expect(thoughtsIn(router)).toEqual([thinking])
})

test("nobody else gets it", async () => {
  const router = await setUp()
  for (const first of ["thinker", "claude"]) {
    const { id } = await router.ask({ model: first })
    for (const model of ["thinker", "other", "claude", "claudia"]) {
      await router.ask({ model, previous_response_id: id })
      expect([first, model, thoughtsIn(router).length]).toEqual([first, model, first === model ? 1 : 0])
      expect(JSON.stringify(router.heard())).toContain("Done.")
    }
  }
})

test("a conversation goes on with it, and shows nothing of who thought it", async () => {
  const router = await setUp()
  const { id: conversation } = await router.call("/v1/conversations", {})
  await router.ask({ conversation })
  await router.ask({ conversation })
  expect(thoughtsIn(router)).toEqual([sealed])
  await router.ask({ conversation, model: "other" })
  expect(thoughtsIn(router)).toEqual([])
  const items = await router.kernel.fetch(
    new Request(`http://rtr.example/v1/conversations/${String(conversation)}/items`),
  )
  const listed = (await items.json()) as { readonly data: readonly Body[] }
  expect(listed.data).toContainEqual(sealed)
})

test("a client cannot say who thought something", async () => {
  const router = await setUp()
  const forged = { ...sealed, thought_by: { model: "thinker", dialect: "responses" } }
  const { id: conversation } = await router.call("/v1/conversations", { items: [forged] })
  await router.ask({ conversation })
  expect(thoughtsIn(router)).toEqual([])
  const { id } = await router.ask({ input: [forged, { role: "user", content: "hi" }] })
  await router.ask({ previous_response_id: id })
  // The second one is the reply's own.
  expect(thoughtsIn(router)).toEqual([sealed])
})

test("what was made in the background is continued with it", async () => {
  const router = await setUp()
  const { id } = await router.ask({ background: true })
  await vi.waitFor(async () => {
    const got = await router.kernel.fetch(new Request(`http://rtr.example/v1/responses/${String(id)}`))
    expect(await got.json()).toMatchObject({ status: "completed" })
  })
  await router.ask({ previous_response_id: id })
  expect(thoughtsIn(router)).toEqual([sealed])
})

test("guards read what was thought, and what is sealed in a kept response is no content of a client", async () => {
  const guard = { type: "jailbreak", name: "attack" }
  const router = await setUp({
    routing: {
      signals: { jailbreak: [{ name: "attack" }] },
      decisions: [
        {
          name: "guard",
          priority: 9,
          rules: guard,
          plugins: [{ type: "fast_response", configuration: { message: "No." } }],
        },
      ],
    },
  })
  const ask = async (body: object): Promise<Response> =>
    router.kernel.fetch(post("/v1/responses", { model: "MoM", input: "hi", ...body }))
  const first = await ask({})
  const { id } = (await first.json()) as Body
  const second = await ask({ previous_response_id: id })
  expect([second.headers.get("x-rtr-unscanned"), thoughtsIn(router)]).toEqual([null, [sealed]])
  const third = await ask({ input: [sealed, { role: "user", content: "hi" }] })
  expect(third.headers.get("x-rtr-unscanned")).toBe("jailbreak=unreadable_content")
})
