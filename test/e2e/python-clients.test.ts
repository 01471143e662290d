// Clients in Python as their authors publish them, unchanged, on a backend of each protocol.

import { beforeEach, expect, test } from "vitest"
import { startRouter, waitFor } from "./_processes.ts"
import { pythonClients, runPython } from "./_python.ts"
import { modelsOn, startScriptedModel } from "./_scripted-model.ts"

const clients = await pythonClients()
const key = "the-key"
const protocols = ["chat_completions", "messages", "responses"]
/** The calls with this message are counted. */
const retried = "status 429 please"

beforeEach(({ skip }) => {
  if ("missing" in clients) skip(true, clients.missing)
})

/** What each check of a program saw, by check and model; and how often the model was asked to be tried again. */
async function run(program: string): Promise<{ readonly seen: object; readonly retried: number }> {
  const model = await startScriptedModel()
  const router = await startRouter({
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: [{ name: "tests", key }] }],
    providers: {
      defaults: { model: protocols[0] },
      models: modelsOn(model, { pricing: { prompt_per_1m: 1, completion_per_1m: 2 } }),
    },
  })
  let left = 0
  const bin = "bin" in clients ? clients.bin : ""
  const python = runPython(bin, [program, router.url, key, ...protocols], async ({ has, wait }) => {
    if (has !== undefined) model.release()
    const lastTurns = (): string => JSON.stringify(model.asked.at(-1)?.turns)
    if (wait === "asked") await waitFor(() => lastTurns().includes('"hold"'))
    if (wait === "left") await waitFor(() => model.left() > left)
    left = model.left()
  })
  const { code, stderr } = await python.ended
  const seen: Record<string, Record<string, unknown>> = {}
  for (const line of python.lines)
    if (line["check"] !== undefined) (seen[String(line["check"])] ??= {})[String(line["model"])] = line["seen"]
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return { seen, retried: model.asked.filter(({ turns }) => JSON.stringify(turns).includes(retried)).length }
}

/** The same on every model, or what a function says of one. */
const onEach = (expected: object): object =>
  Object.fromEntries(
    Object.entries(expected).map(([check, seen]) => [
      check,
      Object.fromEntries(
        protocols.map((name) => [name, typeof seen === "function" ? (seen as (name: string) => unknown)(name) : seen]),
      ),
    ]),
  )

const sum = "No, 91 is 7 times 13."
const weather = "It is sunny and cold."
const city = { city: "Rome", people: 24 }
const picture = "I see a picture."
const timeout = 120_000

/** Class, status, `retry-after`, and whether there is a request id. */
const openaiErrors = {
  "400": ["BadRequestError", 400, "7", true],
  "401": ["AuthenticationError", 401, null, true],
  "404": ["NotFoundError", 404, null, true],
  "429": ["RateLimitError", 429, "7", true],
  "500": ["InternalServerError", 500, "7", true],
  "503": ["InternalServerError", 503, "7", true],
  bad: ["BadRequestError", 400, null, true],
}

test("OpenAI's client", { timeout }, async () => {
  const { seen, retried: tries } = await run("openai_client.py")
  expect(seen).toEqual(
    onEach({
      chat: (name: string) => [sum, "stop", 30, name, "0.00004", name],
      chat_stream: [sum, 30],
      chat_tools: weather,
      chat_parse: city,
      chat_image: picture,
      chat_abort: "left",
      responses: (name: string) => [sum, "completed", 30, name],
      responses_stream: [sum, "response.created", "response.completed"],
      responses_tools: weather,
      responses_parse: city,
      responses_image: picture,
      responses_abort: "left",
      asynchronous: [sum, sum, true],
      errors: {
        ...openaiErrors,
        said: [expect.stringContaining("the backend says 400"), "the backend says 400", true],
        broken: ["APIError", null, null, false],
        "broken response": "error",
        "responses 429": openaiErrors["429"],
      },
      retries: ["RateLimitError", 429, null, true],
      models: true,
    }),
  )
  expect(tries).toBe(2 * protocols.length)
})

test("Anthropic's client", { timeout }, async () => {
  const { seen, retried: tries } = await run("anthropic_client.py")
  expect(seen).toEqual(
    onEach({
      // Tokens that were read from a cache are counted apart.
      chat: (name: string) => [sum, "end_turn", 26, name, "0.00004"],
      stream: [sum, sum, "end_turn", 10],
      raw_stream: [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
      ],
      tools: weather,
      parse: city,
      image: picture,
      abort: "left",
      asynchronous: [sum, sum, true],
      errors: {
        ...openaiErrors,
        "503": ["ServiceUnavailableError", 503, "7", true],
        "529": ["OverloadedError", 529, "7", true],
        said: ["the backend says 400", true],
        broken: ["APIStatusError", 200, null, true],
      },
      retries: ["RateLimitError", 429, null, true],
      models: true,
      count: true,
    }),
  )
  expect(tries).toBe(2 * protocols.length)
})

test("LiteLLM's library", { timeout }, async () => {
  const both = (seen: unknown): object => ({ "openai/": seen, "anthropic/": seen })
  const { seen } = await run("litellm_client.py")
  expect(seen).toEqual(
    onEach({
      chat: (name: string) => both([sum, "stop", 30, name]),
      stream: both([sum, sum, "stop"]),
      tools: both(weather),
      parse: both(city),
      image: both(picture),
      responses: [sum, "completed", sum],
      messages: sum,
      errors: both({
        "400": ["BadRequestError", 400, "7"],
        "401": ["AuthenticationError", 401, null],
        "404": ["NotFoundError", 404, null],
        "429": ["RateLimitError", 429, "7"],
        "500": ["InternalServerError", 500, "7"],
        broken: ["MidStreamFallbackError", 500, null],
      }),
      asynchronous: both([sum, true]),
    }),
  )
})
