// Two routers that keep responses and conversations on one server of Valkey or Redis.

import type { ServerResponse } from "node:http"
import OpenAI, { APIError, NotFoundError } from "openai"
import { describe, expect, onTestFinished, test } from "vitest"
import { noRedis, redisProgram, type RedisServer, startRedisServer } from "../_redis-server.ts"
import {
  chunkOf,
  replyOf,
  startCommand,
  startRouter,
  startTestBackend,
  type TestBackend,
  type TestRouter,
  waitFor,
  writeDocument,
} from "./_processes.ts"

type Body = Record<string, unknown>

/** Says how many messages it was sent. */
function answerChat(body: Body, response: ServerResponse): void {
  const text = `answer ${(body["messages"] as readonly Body[]).length}`
  if (body["stream"] === true) {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(`${chunkOf(text)}${chunkOf("", "stop")}data: [DONE]\n\n`)
  } else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(replyOf("m", text)))
}

function answerMessages(body: Body, response: ServerResponse): void {
  const text = `message ${(body["messages"] as readonly Body[]).length}`
  const reply = {
    id: "msg_same",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 3, output_tokens: 1 },
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(reply))
}

const keys = [
  { name: "ann", key: "key-of-ann" },
  { name: "bob", key: "key-of-bob" },
]

interface Routers {
  readonly server: RedisServer
  readonly document: object
  readonly a: TestRouter
  readonly b: TestRouter
  readonly chat: TestBackend
  /** Requests that the model `slow` holds. */
  readonly waiting: ServerResponse[]
}

async function setUp(settings: object = {}): Promise<Routers> {
  const server = await startRedisServer(["--requirepass", "the-password"])
  onTestFinished(() => server.remove())
  const waiting: ServerResponse[] = []
  const [chat, messages, slow] = await Promise.all([
    startTestBackend(answerChat),
    startTestBackend(answerMessages),
    startTestBackend((_, response) => void waiting.push(response)),
  ])
  const document = {
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: keys }],
    providers: {
      defaults: { model: "chat" },
      models: [
        { name: "chat", backend_refs: [{ base_url: `${chat.url}/v1`, provider: "openai", api_key: "k" }] },
        { name: "claude", backend_refs: [{ base_url: messages.url, provider: "anthropic", api_key: "k" }] },
        { name: "slow", backend_refs: [{ endpoint: slow.endpoint }] },
      ],
    },
    global: {
      services: {
        response_api: {
          store_backend: "redis",
          redis: { address: server.address, db: 2, password: "${THE_PASSWORD}", key_prefix: "team:" },
          ...settings,
        },
      },
    },
  }
  const [a, b] = await Promise.all([start(document), start(document)])
  return { server, document, a, b, chat, waiting }
}

const start = async (document: object): Promise<TestRouter> => startRouter(document, { THE_PASSWORD: "the-password" })

const clientOf = ({ url }: TestRouter, apiKey = "key-of-ann"): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })

const textsSentTo = (backend: TestBackend): readonly unknown[] =>
  ((backend.requests.at(-1)?.body["messages"] ?? []) as readonly Body[]).map(({ content }) => content)

test.skipIf(redisProgram !== undefined)(`two routers on one server are not tested: ${noRedis}`, ({ skip }) =>
  skip(noRedis),
)

describe.skipIf(redisProgram === undefined)("two routers on one server", () => {
  test("continue, read and delete what the other has made, whatever the protocol of the backend", async () => {
    const routers = await setUp()
    const [a, b] = [clientOf(routers.a), clientOf(routers.b)]
    const first = await a.responses.create({ model: "chat", input: "one" })
    const second = await b.responses
      .stream({ model: "chat", input: "two", previous_response_id: first.id })
      .finalResponse()
    const third = await a.responses.create({ model: "claude", input: "three", previous_response_id: second.id })
    const fourth = await b.responses
      .stream({ model: "chat", input: "four", previous_response_id: third.id })
      .finalResponse()
    await a.responses.create({ model: "chat", input: "five", previous_response_id: fourth.id })
    const said = ["one", "answer 1", "two", "answer 3", "three", "message 5", "four", "answer 7", "five"]
    expect(textsSentTo(routers.chat)).toEqual(said)
    expect((await a.responses.retrieve(fourth.id)).output_text).toBe("answer 7")

    await b.responses.delete(first.id)
    for (const client of [a, b]) {
      await expect(client.responses.retrieve(first.id)).rejects.toThrow(NotFoundError)
      await expect(
        client.responses.create({ model: "chat", input: "more", previous_response_id: fourth.id }),
      ).rejects.toThrow(NotFoundError)
    }
  }, 60_000)

  test("share conversations, also when both go on at the same time", async () => {
    const routers = await setUp()
    const [a, b] = [clientOf(routers.a), clientOf(routers.b)]
    const { id } = await a.conversations.create({ items: [{ type: "message", role: "user", content: "zero" }] })
    await b.responses.create({ model: "chat", input: "one", conversation: id })
    await a.responses.create({ model: "chat", input: "two", conversation: id })
    expect(textsSentTo(routers.chat)).toEqual(["zero", "one", "answer 2", "two"])
    const texts = ["w", "x", "y", "z"].flatMap((name) => [1, 2, 3].map((number) => `${name}${number}`))
    await Promise.all(
      texts.map((input, index) =>
        (index % 2 === 0 ? a : b).responses.create({ model: "chat", input, conversation: { id } }),
      ),
    )
    const items: string[] = []
    for await (const item of b.conversations.items.list(id, { order: "asc", limit: 100 }))
      if (item.type === "message" && item.role === "user") items.push(JSON.stringify(item.content))
    expect(items).toHaveLength(3 + texts.length)
    for (const text of texts) expect(items.filter((item) => item.includes(`"${text}"`))).toHaveLength(1)
    await a.conversations.delete(id)
    await expect(b.conversations.retrieve(id)).rejects.toThrow(NotFoundError)
  }, 60_000)

  test("show nothing to another API key", async () => {
    const routers = await setUp()
    const { id } = await clientOf(routers.a).responses.create({ model: "chat", input: "mine" })
    const { id: conversation } = await clientOf(routers.b).conversations.create({})
    for (const router of [routers.a, routers.b]) {
      const bob = clientOf(router, "key-of-bob")
      for (const denied of [
        () => bob.responses.retrieve(id),
        () => bob.responses.delete(id),
        () => bob.responses.cancel(id),
        () => bob.responses.inputItems.list(id),
        () => bob.responses.create({ model: "chat", input: "more", previous_response_id: id }),
        () => bob.responses.create({ model: "chat", input: "more", conversation }),
        () => bob.conversations.retrieve(conversation),
        () => bob.conversations.delete(conversation),
      ])
        await expect(denied()).rejects.toThrow(NotFoundError)
    }
    expect((await clientOf(routers.b).responses.retrieve(id)).output_text).toBe("answer 1")
  }, 60_000)

  test("a response in the background of one is read and cancelled on the other", async () => {
    const { server, a: one, b: other, waiting } = await setUp()
    const [a, b] = [clientOf(one), clientOf(other)]
    const read = await a.responses.create({ model: "slow", input: "think", background: true })
    await waitFor(() => waiting.length === 1)
    expect((await b.responses.retrieve(read.id)).status).toBe("in_progress")
    answerChat({ messages: [{}] }, waiting[0] as ServerResponse)
    await waitFor(async () => (await b.responses.retrieve(read.id)).status === "completed")
    expect(await b.responses.retrieve(read.id)).toMatchObject({ output_text: "answer 1", background: true })

    const cancelled = await a.responses.create({ model: "slow", input: "think", background: true })
    await waitFor(() => waiting.length === 2)
    expect((await b.responses.cancel(cancelled.id)).status).toBe("cancelled")
    // The one that runs it hears of it within seconds, and leaves the backend.
    await waitFor(() => waiting[1]?.destroyed === true, 15_000)
    expect((await a.responses.retrieve(cancelled.id)).status).toBe("cancelled")

    const killed = await a.responses.create({ model: "slow", input: "think", background: true })
    await waitFor(() => waiting.length === 3)
    one.child.kill("SIGKILL")
    expect((await b.responses.retrieve(killed.id)).status).toBe("in_progress")
    await one.exited
    // As the server does it after 30 seconds without a word of the router.
    await server.ask("AUTH the-password", "SELECT 2", `PEXPIRE team:{kv:responses.running}e:${killed.id} 1`)
    await waitFor(async () => (await b.responses.retrieve(killed.id)).status === "failed")
    expect((await b.responses.retrieve(killed.id)).error?.message).toContain("The router stopped")
  }, 60_000)

  test("what a client has seen complete is there after its router was killed", async () => {
    const routers = await setUp()
    const [a, b] = [clientOf(routers.a), clientOf(routers.b)]
    const whole = await a.responses.create({ model: "chat", input: "one" })
    const runner = a.responses.stream({ model: "chat", input: "two", previous_response_id: whole.id })
    const streamed = await new Promise<string>((resolve) =>
      runner.on("response.completed", ({ response }) => {
        routers.a.child.kill("SIGKILL")
        resolve(response.id)
      }),
    )
    await runner.done().catch(() => undefined)
    await routers.a.exited
    await b.responses.create({ model: "chat", input: "three", previous_response_id: streamed })
    expect(textsSentTo(routers.chat)).toEqual(["one", "answer 1", "two", "answer 3", "three"])
  }, 60_000)

  test("while the server is away what needs it fails, everything else goes on, and it is used again when it is back", async () => {
    const { server, a: router, b, document } = await setUp()
    const a = clientOf(router)
    const { id } = await a.responses.create({ model: "chat", input: "one" })
    await server.stop()
    const statusOf = async (work: Promise<unknown>): Promise<number | undefined> =>
      work.then(
        () => 200,
        (error: unknown) => (error instanceof APIError ? error.status : undefined),
      )
    await waitFor(async () => (await statusOf(a.responses.retrieve(id))) === 503)
    // Where the server is concerns nobody outside.
    const failure: unknown = await a.responses.retrieve(id).catch((error: unknown) => error)
    expect(String(failure)).not.toContain(server.address)
    await waitFor(() => router.stderr().includes(`Cannot use the Redis server ${server.address}`))
    expect(await statusOf(a.responses.create({ model: "chat", input: "x", previous_response_id: id }))).toBe(503)
    expect(await statusOf(a.responses.create({ model: "slow", input: "x", background: true }))).toBe(503)
    expect(await statusOf(a.responses.delete(id))).toBe(503)
    // What is not continued is answered, and says that it was not kept.
    expect(await a.responses.create({ model: "chat", input: "two" })).toMatchObject({
      store: false,
      output_text: "answer 1",
    })
    const chat = await a.chat.completions.create({ model: "chat", messages: [{ role: "user", content: "hi" }] })
    expect(chat.choices[0]?.message.content).toBe("answer 1")
    // The log is written a little later.
    await waitFor(() => /response_not_kept.*unavailable/.test(router.stderr()))

    const refused = startCommand("rtr", ["serve", "--config", writeDocument(document), "--metrics-port", "0"], {
      THE_PASSWORD: "the-password",
    })
    expect(await refused.exited).toBe(1)
    expect(refused.stderr()).toContain(
      `Cannot use the Redis server ${server.address}: ECONNREFUSED; nobody listens there; start the server, or correct the address (global.services.response_api)`,
    )
    await server.start()
    // It kept nothing on its disk, so what was there is gone; what comes now is kept.
    await waitFor(async () => (await statusOf(a.responses.retrieve(id))) === 404)
    const again = await a.responses.create({ model: "chat", input: "three" })
    await waitFor(async () => (await statusOf(clientOf(b).responses.retrieve(again.id))) === 200)
    for (const command of [router, b, refused])
      expect(command.stdout() + command.stderr()).not.toContain("the-password")
  }, 90_000)

  test("no more is kept than the section says, by both together", async () => {
    const routers = await setUp({ max_responses: 5, ttl_seconds: 600 })
    const [a, b] = [clientOf(routers.a), clientOf(routers.b)]
    const ids: string[] = []
    for (let index = 0; index < 8; index++) {
      const { id } = await (index % 2 === 0 ? a : b).responses.create({ model: "chat", input: `${index}` })
      ids.push(id)
    }
    const kept = await Promise.all(
      ids.map((id) =>
        a.responses.retrieve(id).then(
          () => true,
          () => false,
        ),
      ),
    )
    expect(kept).toEqual([false, false, false, true, true, true, true, true])
  }, 60_000)
})

test("an address that is said twice, or that is none, is refused", async () => {
  for (const [redis, says] of [
    [{ url: "redis://localhost", db: 1 }, 'redis.db: stands beside "url"; say it in the url alone'],
    [{ address: "redis://:hidden@localhost" }, 'redis.address: must be host:port; a URL stands in "url"'],
    [{ url: "http://:hidden@localhost" }, "Cannot read the address of the Redis server: it begins with something else"],
    [{ address: "localhost:1", cluster_mode: true }, "cluster_mode"],
  ] as const) {
    const document = {
      providers: { defaults: { model: "m" }, models: [{ name: "m", backend_refs: [{ endpoint: "127.0.0.1:1" }] }] },
      global: { services: { response_api: { store_backend: "redis", redis } } },
    }
    const command = startCommand("rtr", ["serve", "--config", writeDocument(document), "--metrics-port", "0"])
    expect(await command.exited).toBe(1)
    expect(command.stderr()).toContain(says)
    expect(command.stderr()).not.toContain("hidden")
  }
}, 60_000)
