// OpenAI's agents over backends of every protocol.

import { Agent, handoff, OpenAIProvider, Runner, setTracingDisabled, tool, type AgentInputItem } from "@openai/agents"
import OpenAI, { APIError } from "openai"
import { beforeAll, expect, test } from "vitest"
import { z } from "zod"
import { type Client, connectionOf, type Setting, startSetting, testClients } from "./_clients.ts"

let setting: Setting
beforeAll(async () => {
  setTracingDisabled(true)
  setting = await startSetting()
})

const Place = z.object({ city: z.string() })
const runnerOf = (url: string, apiKey: string, useResponses: boolean): Runner => {
  const openAIClient = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 })
  return new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }), tracingDisabled: true })
}

const clientOf = (runner: Runner): Client => ({
  async chat(model, words) {
    return (await runner.run(new Agent({ name: "agent", model }), words)).finalOutput ?? ""
  },
  async *stream(model, words, signal) {
    const stream = await runner.run(new Agent({ name: "agent", model }), words, {
      stream: true,
      ...(signal !== undefined && { signal }),
    })
    for await (const event of stream)
      if (event.type === "raw_model_stream_event" && event.data.type === "output_text_delta") yield event.data.delta
    await stream.completed
  },
  async tools(model, words, weather) {
    const known = tool({
      name: "weather",
      description: "The weather of a city",
      parameters: Place,
      execute: ({ city }) => weather(city),
    })
    return (await runner.run(new Agent({ name: "agent", model, tools: [known] }), words)).finalOutput ?? ""
  },
  async structured(model) {
    return (await runner.run(new Agent({ name: "agent", model, outputType: Place }), "Where?")).finalOutput
  },
  async image(model, base64) {
    const input: AgentInputItem[] = [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is it?" },
          { type: "input_image", image: `data:image/png;base64,${base64}` },
        ],
      },
    ]
    return (await runner.run(new Agent({ name: "agent", model }), input)).finalOutput ?? ""
  },
})

testClients(() => setting, {
  open: ({ url, apiKey }) => ({
    responses: clientOf(runnerOf(url, apiKey, true)),
    "chat completions": clientOf(runnerOf(url, apiKey, false)),
  }),
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

test("an agent hands over to one whose model has a backend of another protocol", async () => {
  const { url, apiKey } = connectionOf(setting)
  for (const useResponses of [true, false]) {
    const expert = new Agent({ name: "expert", model: "messages", instructions: "You know numbers." })
    const first = new Agent({ name: "first", model: "responses", handoffs: [handoff(expert)] })
    const result = await runnerOf(url, apiKey, useResponses).run(first, "Is 91 prime?")
    expect([result.lastAgent?.name, result.finalOutput]).toEqual(["expert", expect.stringContaining("expert")])
    expect(setting.model.asked.slice(-2).map(({ protocol }) => protocol)).toEqual(["responses", "messages"])
  }
})
