// Every client's protocol over every backend's protocol, whole and streamed, judged by the vendors' own clients.

import { expect, test } from "vitest"
import { chatCompletions } from "./chat-completions.ts"
import { check, protocols } from "./check.ts"
import { type Asked, type Said, without } from "./conversation.ts"
import { conversations } from "./conversations.ts"
import { createProtocolRouter, modelOf } from "./router.ts"

test("there are conversations enough", () => expect(conversations.length).toBeGreaterThanOrEqual(40))

for (const client of protocols)
  for (const backend of protocols)
    for (const mode of ["json", "stream"] as const)
      test(`a client of ${client.protocol} and a backend of ${backend.protocol}, ${mode}`, async () => {
        const router = await createProtocolRouter()
        for (const conversation of conversations)
          if (conversation.clients?.includes(client.protocol) !== false)
            await check(conversation, { router, client, backend, mode })
      })

/** Thoughts that can be read and that cannot, and calls. */
const reply: Said = {
  parts: [
    { kind: "thought", text: "I look.", proof: "c2ln" },
    { kind: "thought", text: "", proof: "aGlkZGVu" },
    { kind: "text", text: "Wait." },
    { kind: "call", id: "call_1", name: "f", input: '{"a":1}' },
    { kind: "call", id: "call_2", name: "f", input: '{"a":2}' },
  ],
  stop: "calls",
  usage: { input: 9, output: 9, cached: 0, written: 0, reasoning: 0 },
}
const question: Asked = {
  turns: [{ role: "user", parts: [{ kind: "text", text: "go" }] }],
  tools: [{ name: "f", schema: { type: "object" } }],
  limit: 100,
}
const results: Asked = {
  turns: [
    {
      role: "tool",
      parts: ["call_1", "call_2"].map((id) => ({ kind: "result", id, parts: [{ kind: "text", text: id }] })),
    },
  ],
}

for (const client of protocols)
  for (const mode of ["json", "stream"] as const)
    test(`what a client of ${client.protocol} got it can send to every backend, ${mode}`, async () => {
      const router = await createProtocolRouter()
      const { conversation: field } = client
      for (const first of protocols)
        for (const second of protocols) {
          const path = `${first.protocol} > ${second.protocol}`
          const said = first.holdsSaid(reply)
          router.answer(mode === "json" ? { json: JSON.stringify(first.whole(said)) } : { stream: first.events(said) })
          const body = client.ask(question) as Record<string, unknown>
          const { back } = await client.see(router.fetch, { ...body, model: modelOf(first.protocol) }, mode)
          const answers = (client.ask(results) as Record<string, readonly object[]>)[field] as readonly object[]
          const next = { ...body, [field]: [...(body[field] as readonly object[]), ...back, ...answers] }
          const final: Said = { ...reply, parts: [{ kind: "text", text: "Done." }], stop: "end" }
          router.answer({ json: JSON.stringify(second.whole(second.holdsSaid(final))) })
          const { said: end } = await client.see(router.fetch, { ...next, model: modelOf(second.protocol) }, "json")
          expect([path, end.parts]).toEqual([path, final.parts])
          const [, answer] = second.heard(JSON.parse(router.last.asked ?? "") as object).turns
          const keepsProofs = first === second && client !== chatCompletions && first !== chatCompletions
          const expected = keepsProofs
            ? said.parts
            : without(said.parts, (part) => part.kind === "thought" && (second !== chatCompletions || part.text === ""))
          const unproven = expected.map((part) =>
            part.kind === "thought" && !keepsProofs ? { kind: part.kind, text: part.text } : part,
          )
          expect.soft([path, answer?.parts]).toEqual([path, unproven])
        }
    })
