import type { ChatReply, DialectModule } from "rtr"
import { eventsOf } from "rtr"
import { expect, test } from "vitest"
import { type Asked, chatApis } from "../../../ts/cli/request/chat-api.ts"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import messages from "../../../ts/plugins/dialects/messages.ts"
import responses from "../../../ts/plugins/dialects/responses.ts"

const dialects: Readonly<Record<string, DialectModule>> = { chat: chatCompletions, responses, messages }
const asked: Asked = {
  model: "small",
  message: "what is this?",
  system: undefined,
  pictures: [],
  temperature: undefined,
  maxTokens: 9,
  stream: false,
}
const reply: ChatReply = {
  id: "r",
  model: "m",
  created: 1,
  choices: [
    {
      blocks: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "a cat" },
      ],
      stop: "stop",
    },
  ],
}

test("every protocol says what was asked for", () => {
  for (const [name, api] of Object.entries(chatApis)) {
    const read = (changes: Partial<Asked>) =>
      (dialects[name] as DialectModule).readRequest(api.body({ ...asked, ...changes }))
    const { turns, ...plain } = read({ system: "be brief", temperature: 0.5, stream: true })
    expect({ name, ...plain }).toMatchObject({
      model: "small",
      stream: true,
      generation: { maxOutputTokens: 9, temperature: 0.5 },
    })
    expect(turns.map(({ role, blocks }) => ({ role, blocks }))).toEqual([
      { role: "system", blocks: [{ type: "text", text: "be brief" }] },
      { role: "user", blocks: [{ type: "text", text: "what is this?" }] },
    ])
    const [turn] = read({ pictures: [{ type: "image/png", data: "aGk=" }] }).turns
    const image = { type: "image", source: { kind: "base64", data: "aGk=", mediaType: "image/png" } }
    expect({ name, blocks: turn?.blocks }).toMatchObject({
      blocks: expect.arrayContaining([{ type: "text", text: asked.message }, expect.objectContaining(image)]),
    })
  }
  expect(chatApis["messages"]?.body({ ...asked, maxTokens: undefined })).toMatchObject({ max_tokens: 4096 })
})

test("every protocol's answer is its text, whole and in pieces, and its error is told", () => {
  for (const [name, api] of Object.entries(chatApis)) {
    const dialect = dialects[name] as DialectModule
    const request = dialect.readRequest(api.body({ ...asked, stream: true }))
    expect({ name, text: api.textOf(JSON.parse(dialect.writeReply(reply, {}, request))) }).toEqual({
      name,
      text: "a cat",
    })
    const writer = dialect.writer(request)
    const wire = [writer.write(eventsOf(reply)), writer.end()].map((bytes) => new TextDecoder().decode(bytes)).join("")
    const events = [...wire.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? "") as unknown)
    expect({ name, text: events.map(api.deltaOf).join("") }).toEqual({ name, text: "a cat" })
    expect(events.map(api.failureOf).filter(Boolean)).toEqual([])
    const failing = dialect.writer(request)
    const failed = [failing.write([{ type: "failed", message: "out of memory" }]), failing.end()]
    const told = failed.map((bytes) => new TextDecoder().decode(bytes)).join("")
    const said = [...told.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => api.failureOf(JSON.parse(data ?? "")))
    expect({ name, said: said.find(Boolean) }).toEqual({ name, said: "out of memory" })
  }
})
