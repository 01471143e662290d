// OpenAI's client over backends of every protocol.

import OpenAI, { APIError } from "openai"
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod"
import { beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { type Client, connectionOf, type Setting, startSetting, testClients } from "./_clients.ts"

let setting: Setting
beforeAll(async () => {
  setting = await startSetting()
})

const Place = z.object({ city: z.string() })
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const asUser = (content: OpenAI.ChatCompletionUserMessageParam["content"]) => ({ role: "user" as const, content })

const chatCompletions = (openai: OpenAI): Client => ({
  async chat(model, words) {
    const { choices } = await openai.chat.completions.create({ model, messages: [asUser(words)] })
    return choices[0]?.message.content ?? ""
  },
  async *stream(model, words, signal) {
    const body = { model, messages: [asUser(words)], stream: true as const }
    for await (const { choices } of await openai.chat.completions.create(body, { signal: signal ?? null })) {
      const content = choices[0]?.delta.content ?? ""
      if (content !== "") yield content
    }
  },
  async tools(model, words, weather) {
    const runner = openai.chat.completions.runTools({
      model,
      messages: [asUser(words)],
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "The weather of a city",
            parse: (text: string) => JSON.parse(text) as { city: string },
            function: ({ city }: { city: string }) => weather(city),
            parameters,
          },
        },
      ],
    })
    return (await runner.finalContent()) ?? ""
  },
  async structured(model) {
    const { choices } = await openai.chat.completions.parse({
      model,
      messages: [asUser("Where?")],
      response_format: zodResponseFormat(Place, "place"),
    })
    return choices[0]?.message.parsed
  },
  async image(model, base64) {
    const image = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${base64}` } }
    const messages = [asUser([{ type: "text", text: "What is it?" }, image])]
    return (await openai.chat.completions.create({ model, messages })).choices[0]?.message.content ?? ""
  },
})

const responses = (openai: OpenAI): Client => ({
  async chat(model, input) {
    return (await openai.responses.create({ model, input })).output_text
  },
  async *stream(model, input, signal) {
    const stream = await openai.responses.create({ model, input, stream: true }, { signal: signal ?? null })
    for await (const event of stream) if (event.type === "response.output_text.delta") yield event.delta
  },
  async tools(model, words, weather) {
    const tools = [{ type: "function" as const, name: "weather", parameters, strict: true }]
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: words }]
    for (;;) {
      const { output, output_text: text } = await openai.responses.create({ model, input, tools })
      const calls = output.filter((item) => item.type === "function_call")
      if (calls.length === 0) return text
      input.push(...(output as OpenAI.Responses.ResponseInput))
      for (const { call_id, arguments: given } of calls)
        input.push({
          type: "function_call_output",
          call_id,
          output: weather((JSON.parse(given) as { city: string }).city),
        })
    }
  },
  async structured(model) {
    const text = { format: zodTextFormat(Place, "place") }
    return (await openai.responses.parse({ model, input: "Where?", text })).output_parsed
  },
  async image(model, base64) {
    const content = [
      { type: "input_text" as const, text: "What is it?" },
      { type: "input_image" as const, detail: "auto" as const, image_url: `data:image/png;base64,${base64}` },
    ]
    return (await openai.responses.create({ model, input: [{ role: "user", content }] })).output_text
  },
})

testClients(() => setting, {
  open: ({ url, apiKey }) => {
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
    return { "chat completions": chatCompletions(openai), responses: responses(openai) }
  },
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

test("repeats a call twice by itself", async () => {
  const { url, apiKey } = connectionOf(setting)
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey })
  const before = setting.model.requests.length
  await expect(openai.responses.create({ model: "messages", input: "status 500" })).rejects.toThrow(APIError)
  expect(setting.model.requests.length - before).toBe(3)
})
