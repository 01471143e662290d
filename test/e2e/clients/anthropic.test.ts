// Anthropic's client over backends of every protocol.

import Anthropic, { APIError } from "@anthropic-ai/sdk"
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema"
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod"
import { beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { type Client, connectionOf, type Setting, startSetting, testClients } from "./_clients.ts"

let setting: Setting
beforeAll(async () => {
  setting = await startSetting()
})

const textOf = (content: readonly { readonly type: string }[]): string =>
  content.map((block) => (block.type === "text" ? (block as Anthropic.TextBlock).text : "")).join("")
const asking = (model: string, content: Anthropic.MessageParam["content"]) => ({
  model,
  max_tokens: 200,
  messages: [{ role: "user" as const, content }],
})
const weatherTool = (weather: (city: string) => string) =>
  betaTool({
    name: "weather",
    description: "The weather of a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: ({ city }) => weather(city),
  })

const messages = (anthropic: Anthropic): Client => ({
  async chat(model, words) {
    return textOf((await anthropic.messages.create(asking(model, words))).content)
  },
  async *stream(model, words, signal) {
    const body = { ...asking(model, words), stream: true as const }
    for await (const event of await anthropic.messages.create(body, { signal: signal ?? null }))
      if (event.type === "content_block_delta" && event.delta.type === "text_delta") yield event.delta.text
  },
  async tools(model, words, weather) {
    const last = await anthropic.beta.messages.toolRunner({
      ...asking(model, words),
      tools: [weatherTool(weather)],
      thread: false,
    })
    return textOf(last.content)
  },
  async structured(model) {
    const format = zodOutputFormat(z.object({ city: z.string() }))
    return (await anthropic.messages.parse({ ...asking(model, "Where?"), output_config: { format } })).parsed_output
  },
  async image(model, data) {
    const source = { type: "base64" as const, media_type: "image/png" as const, data }
    const content = [
      { type: "text" as const, text: "What is it?" },
      { type: "image" as const, source },
    ]
    return textOf((await anthropic.messages.create(asking(model, content))).content)
  },
})

testClients(() => setting, {
  open: ({ url, apiKey }) => ({ messages: messages(new Anthropic({ baseURL: url, apiKey, maxRetries: 0 })) }),
  errorOf: (error) => (error instanceof APIError ? `${error.constructor.name} ${error.status}` : String(error)),
  retryAfterOf: (error) => (error as APIError).headers?.get("retry-after"),
  errors: {
    400: "BadRequestError 400",
    401: "AuthenticationError 401",
    404: "NotFoundError 404",
    429: "RateLimitError 429",
    500: "InternalServerError 500",
    502: "InternalServerError 502",
    broken: "APIError undefined",
  },
})

test("the runner of tools and threads go on without a thread where the backend cannot keep one", async () => {
  const { url, apiKey } = connectionOf(setting)
  const anthropic = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 })
  for (const model of ["chat_completions", "messages", "responses"]) {
    const tools = [weatherTool((city) => `cold in ${city}`)]
    const last = await anthropic.beta.messages.toolRunner({ ...asking(model, "How is the weather in Oslo?"), tools })
    expect(textOf(last.content)).toBe("It is cold in Oslo.")

    const fields = { model, max_tokens: 200 }
    const thread = anthropic.beta.messages.thread({ ...fields, unsupportedRequestBehavior: "continue_unthreaded" })
    await thread.send({ role: "user", content: "Is 91 prime?" })
    await thread.send({ role: "user", content: "Why?" })
    expect(setting.model.asked.at(-1)?.turns.map(({ role }) => role)).toEqual(["user", "assistant", "user"])
    await expect(anthropic.beta.messages.thread(fields).send({ role: "user", content: "hi" })).rejects.toMatchObject({
      status: 400,
      errorCode: "thread_unsupported_request",
    })
  }
})
