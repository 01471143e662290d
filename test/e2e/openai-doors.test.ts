// What the openai client asks of the router beside chats.

import OpenAI from "openai"
import { expect, test } from "vitest"
import { besideRequests, providersOn, startRouter, startTestBackend } from "./_processes.ts"

test("the openai client completes texts, whole and streamed", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({
    providers: providersOn(backend.endpoint, "small", "coder"),
    routing: {
      signals: { keywords: [{ name: "code", operator: "OR", keywords: ["python"] }] },
      decisions: [{ name: "coding", rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "coder" }] }],
    },
  })
  const client = new OpenAI({ baseURL: `${router.url}/v1`, apiKey: "unused" })
  const prompt = "Write python"
  const { data, response } = await client.completions.create({ model: "MoM", prompt, max_tokens: 9 }).withResponse()
  expect(data).toMatchObject({ object: "text_completion", choices: [{ text: "hello", index: 0 }] })
  expect(response.headers.get("x-selected-model")).toBe("coder")
  expect(backend.requests.at(-1)?.body).toEqual({
    model: "coder",
    max_tokens: 9,
    messages: [{ role: "user", content: prompt }],
  })

  let [text, reason] = ["", ""]
  for await (const { choices } of await client.completions.create({ model: "MoM", prompt, stream: true })) {
    text += choices[0]?.text ?? ""
    reason = choices[0]?.finish_reason ?? reason
  }
  expect([text, reason]).toEqual(["one two three four", "stop"])

  const several = await client.completions.create({ model: "small", prompt: ["a", "b"] })
  expect(several.choices.map(({ text: each, index }) => `${index} ${each}`)).toEqual(["0 hello", "1 hello"])
  await expect(client.completions.create({ model: "small", prompt: [1, 2] })).rejects.toMatchObject({
    status: 400,
    code: "invalid_request",
  })
  await expect(client.completions.create({ model: "small", prompt, suffix: "end" })).rejects.toThrow(/"suffix"/)
  expect(besideRequests(router.stderr())).toEqual([])
})
