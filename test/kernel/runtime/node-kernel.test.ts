import type { Problem } from "rtr"
import { createKernel } from "rtr/node"
import { afterEach, expect, test, vi } from "vitest"
import { completion, createFakeTransport, jsonReply } from "../../fakes/transport.ts"
import { chat } from "../../fakes/kernel.ts"
import { smallDocument } from "../../fakes/document.ts"

afterEach(() => vi.unstubAllEnvs())

const config = {
  ...smallDocument,
  routing: {},
  providers: {
    defaults: { model: "small" },
    models: [
      {
        name: "small",
        backend_refs: [{ base_url: "https://${TEST_HOST}/v1", provider: "openai", api_key_env: "TEST_BACKEND_KEY" }],
      },
    ],
  },
}

async function asked(options: object = {}) {
  const transport = createFakeTransport(jsonReply(completion("hi")))
  const kernel = await createKernel({ config, transport, ...options })
  expect((await kernel.fetch(chat("hello"))).status).toBe(200)
  await kernel.close()
  const [request] = transport.requests
  return [request?.url, request?.headers["authorization"]]
}

test("the process's environment gives values and keys", async () => {
  vi.stubEnv("TEST_HOST", "process.example")
  vi.stubEnv("TEST_BACKEND_KEY", "from-process")
  expect(await asked()).toEqual(["https://process.example/v1/chat/completions", "Bearer from-process"])
})

test("another environment replaces it as a whole", async () => {
  vi.stubEnv("TEST_BACKEND_KEY", "from-process")
  const environment = { TEST_HOST: "mine.example", TEST_BACKEND_KEY: "mine" }
  expect(await asked({ environment })).toEqual(["https://mine.example/v1/chat/completions", "Bearer mine"])
  await expect(createKernel({ config, environment: { TEST_HOST: "mine.example" } })).rejects.toThrow(
    /environment variable TEST_BACKEND_KEY/,
  )
})

test("all variables of keys that are not set are told at once, each with its line", async () => {
  const backend = (name: string): object => ({ endpoint: "127.0.0.1:1", api_key_env: name })
  const text = JSON.stringify(
    {
      ...config,
      providers: {
        models: [
          { name: "small", backend_refs: [backend("FIRST_KEY")] },
          { name: "large", backend_refs: [backend("SECOND_KEY")] },
        ],
      },
    },
    null,
    1,
  )
  const lineOf = (name: string): number => text.split("\n").findIndex((line) => line.includes(name)) + 1
  const error: unknown = await createKernel({ config: text, environment: {} }).catch((thrown: unknown) => thrown)
  expect(
    (error as { problems: readonly Problem[] }).problems.map((each) => [each.position?.line, each.message]),
  ).toEqual(["FIRST_KEY", "SECOND_KEY"].map((name) => [lineOf(name), `environment variable ${name} is not set`]))
})

test("what rtr serve warns of goes to the log, of a later document too", async () => {
  const log = vi.fn<NonNullable<Parameters<typeof createKernel>[0]["log"]>>()
  const unused = { ...smallDocument, routing: { signals: { jailbreak: [{ name: "attacks", threshold: 0.7 }] } } }
  const kernel = await createKernel({ config: smallDocument, log, transport: createFakeTransport(jsonReply({})) })
  expect(log).not.toHaveBeenCalled()
  await kernel.activate(unused)
  expect(log.mock.calls).toEqual([
    ["warning", "config_warning", { message: expect.stringContaining("stops nothing: no decision asks for it") }],
  ])
  await kernel.close()
})
