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
