// Vercel's SDK with each of its packages over backends of every protocol.

import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { APICallError, generateText, type LanguageModel, Output, RetryError, stepCountIs, streamText, tool } from "ai"
import { beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { type Client, connectionOf, type Setting, startSetting, testClients } from "./_clients.ts"

let setting: Setting
beforeAll(async () => {
  setting = await startSetting()
  // The package for Anthropic warns of models that it does not know.
  globalThis.AI_SDK_LOG_WARNINGS = false
})

const weatherTool = (weather: (city: string) => string) =>
  tool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => weather(city) })

const clientOf = (make: (model: string) => LanguageModel): Client => ({
  async chat(model, prompt) {
    return (await generateText({ model: make(model), prompt, maxRetries: 0 })).text
  },
  async *stream(model, prompt, abortSignal) {
    let failure: unknown
    const { textStream } = streamText({
      model: make(model),
      prompt,
      maxRetries: 0,
      ...(abortSignal !== undefined && { abortSignal }),
      onError: ({ error }) => void (failure = error),
    })
    yield* textStream
    if (failure !== undefined) throw failure
  },
  async tools(model, prompt, weather) {
    const options = { model: make(model), prompt, tools: { weather: weatherTool(weather) }, maxRetries: 0 }
    return (await generateText({ ...options, stopWhen: stepCountIs(3) })).text
  },
  async structured(model) {
    const output = Output.object({ schema: z.object({ city: z.string() }) })
    return (await generateText({ model: make(model), prompt: "Where?", output, maxRetries: 0 })).output
  },
  async image(model, data) {
    const file = { type: "file" as const, mediaType: "image/png", data }
    const content = [{ type: "text" as const, text: "What is it?" }, file]
    return (await generateText({ model: make(model), messages: [{ role: "user", content }], maxRetries: 0 })).text
  },
})

testClients(() => setting, {
  open({ url, apiKey }) {
    const connection = { baseURL: `${url}/v1`, apiKey }
    const openai = createOpenAI(connection)
    return {
      compatible: clientOf(createOpenAICompatible({ name: "rtr", supportsStructuredOutputs: true, ...connection })),
      responses: clientOf(openai),
      "chat completions": clientOf(openai.chat),
      messages: clientOf(createAnthropic(connection)),
    }
  },
  errorOf: (error) => (APICallError.isInstance(error) ? `${error.name} ${error.statusCode}` : (error as Error).name),
  retryAfterOf: (error) => (error as APICallError).responseHeaders?.["retry-after"],
  errors: {
    400: "AI_APICallError 400",
    401: "AI_APICallError 401",
    404: "AI_APICallError 404",
    429: "AI_APICallError 429",
    500: "AI_APICallError 500",
    502: "AI_APICallError 502",
    broken: "AI_StreamProviderError",
  },
})

test("the package for Responses sends whole conversations with store: false; without, the router has to keep them", async () => {
  const question = { role: "user" as const, content: "think: the weather in Rome?" }
  const tools = { weather: weatherTool((city) => `sunny in ${city}`) }
  const converse = async (at: Setting, name: string, store: boolean): Promise<string> => {
    const { url, apiKey } = connectionOf(at)
    const model = createOpenAI({ baseURL: `${url}/v1`, apiKey })(name)
    const options = { model, maxRetries: 0, providerOptions: { openai: { store } } }
    const { responseMessages } = await generateText({
      ...options,
      messages: [question],
      tools,
      stopWhen: stepCountIs(3),
    })
    const next = { role: "user" as const, content: "Is 91 prime?" }
    return (await generateText({ ...options, messages: [question, ...responseMessages, next] })).text
  }
  const keeping = await startSetting({ global: { services: { response_api: { store_backend: "memory" } } } })
  for (const name of ["chat_completions", "messages"]) {
    for (const [at, store] of [
      [setting, false],
      [keeping, true],
    ] as const) {
      expect(await converse(at, name, store)).toBe("No, 91 is 7 times 13.")
      const roles = at.model.asked.at(-1)?.turns.map(({ role }) => role)
      expect([name, store, roles]).toEqual([name, store, ["user", "assistant", "tool", "assistant", "user"]])
    }
    await expect(converse(setting, name, true)).rejects.toThrow(/"item_reference".*`store: false`/)
  }
})

test("repeats a call twice by itself", async () => {
  const { url, apiKey } = connectionOf(setting)
  const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey })
  const before = setting.model.requests.length
  // The wait of the backend is also the client's.
  const prompt = "status 429 retry-after 1"
  await expect(generateText({ model: openai("messages"), prompt })).rejects.toThrow(RetryError)
  expect(setting.model.requests.length - before).toBe(3)
})
