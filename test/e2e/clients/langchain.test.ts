// LangChain's chat models over backends of every protocol.

import { ChatAnthropic } from "@langchain/anthropic"
import type { BaseChatModel } from "@langchain/core/language_models/chat_models"
import { type BaseMessage, HumanMessage } from "@langchain/core/messages"
import { tool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import { beforeAll } from "vitest"
import { z } from "zod"
import { type Client, type Setting, startSetting, testClients } from "./_clients.ts"

let setting: Setting
beforeAll(async () => {
  setting = await startSetting()
})

const Place = z.object({ city: z.string() })

const clientOf = (make: (model: string) => BaseChatModel): Client => ({
  async chat(model, words) {
    return (await make(model).invoke(words)).text
  },
  async *stream(model, words, signal) {
    for await (const { text } of await make(model).stream(words, signal === undefined ? {} : { signal }))
      if (text !== "") yield text
  },
  async tools(model, words, weather) {
    const known = tool(({ city }: z.infer<typeof Place>) => weather(city), {
      name: "weather",
      description: "The weather of a city",
      schema: Place,
    })
    const messages: BaseMessage[] = [new HumanMessage(words)]
    const bound = make(model).bindTools?.([known])
    for (;;) {
      const reply = await bound?.invoke(messages)
      if (reply?.tool_calls === undefined || reply.tool_calls.length === 0) return reply?.text ?? ""
      messages.push(reply)
      for (const call of reply.tool_calls) messages.push((await known.invoke(call)) as BaseMessage)
    }
  },
  structured: (model) => make(model).withStructuredOutput(Place).invoke("Where?"),
  async image(model, base64) {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } }
    return (await make(model).invoke([new HumanMessage({ content: [{ type: "text", text: "What is it?" }, image] })]))
      .text
  },
})

testClients(() => setting, {
  open({ url, apiKey }) {
    const openai = (fields: object) => (model: string) =>
      new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL: `${url}/v1` }, ...fields })
    return {
      "chat completions": clientOf(openai({})),
      responses: clientOf(openai({ useResponsesApi: true })),
      messages: clientOf((model) => new ChatAnthropic({ model, apiKey, maxRetries: 0, anthropicApiUrl: url })),
    }
  },
  errorOf(error) {
    const { constructor, status } = error as Error & { readonly status?: number }
    return `${constructor.name} ${status}`
  },
  retryAfterOf: (error) => (error as { readonly headers?: Headers }).headers?.get("retry-after"),
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
