// Every client's protocol over every backend's protocol, whole and streamed, judged by the vendors' own clients.

import { expect, test } from "vitest"
import { chatCompletions } from "./chat-completions.ts"
import { type Asked, merged, type Part, type Said, without } from "./conversation.ts"
import { type Conversation, conversations } from "./conversations.ts"
import type { Ends, Mode } from "./ends.ts"
import { messages } from "./messages.ts"
import { responses } from "./responses.ts"
import { createProtocolRouter, modelOf, type ProtocolRouter } from "./router.ts"

const protocols: readonly Ends[] = [chatCompletions, messages, responses]

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

interface Path {
  readonly router: ProtocolRouter
  readonly client: Ends
  readonly backend: Ends
  readonly mode: Mode
}

async function check(conversation: Conversation, path: Path): Promise<void> {
  const { router, client, backend, mode } = path
  const { name, asked } = conversation
  const said = backend.holdsSaid(conversation.said)
  const upstream = mode === "json" ? JSON.stringify(backend.whole(said)) : backend.events(said)
  router.answer(mode === "json" ? { json: upstream } : { stream: upstream })
  const body = { ...client.ask(asked), model: modelOf(backend.protocol) }
  const refused = atPath(conversation.refused, path)
  const seen = client.see(router.fetch, body, mode)
  const got = await seen.catch((error: unknown) => {
    if (refused === undefined) throw new Error(`${name}: ${String(error)}`, { cause: error })
    return error as Error & { readonly status?: number }
  })
  if (refused !== undefined) return checkRefusal(name, got, { refused, ...path })
  if (got instanceof Error) throw got
  expect.soft({ name, said: held(got.said, path) }).toEqual({ name, said: held(client.holdsSaid(said), path) })
  expect([name, router.last.path]).toEqual([name, backend.path])
  if (client === backend) return checkSame(name, upstream, path)
  expect.soft({ name, asked: backend.heard(JSON.parse(router.last.asked ?? "") as object) }).toEqual({
    name,
    asked: { ...heldAcross(asked, path), ...atPath(conversation.heard, path) },
  })
}

/** The client is told why, and no backend was asked. */
function checkRefusal(name: string, got: object, { refused, router }: Path & { readonly refused: string }): void {
  expect({ name, got }).toMatchObject({ name, got: { status: 400, message: expect.stringContaining(refused) } })
  expect([name, router.last.asked]).toEqual([name, undefined])
}

/** Between two ends of one protocol the model's name is set, and `routing_metadata` is added to a whole reply. */
function checkSame(name: string, upstream: string, { router: { last }, mode }: Path): void {
  const sent = JSON.stringify({ ...(JSON.parse(last.sent) as object), model: "upstream" })
  expect([name, last.asked]).toEqual([name, sent])
  const replied = mode === "json" ? last.replied.replace(/,"routing_metadata":\{.*\}\}$/, "}") : last.replied
  expect([name, replied]).toEqual([name, upstream])
}

const atPath = <Value>(
  values: Readonly<Record<string, Value>> | undefined,
  { client, backend }: Path,
): Value | undefined =>
  client === backend
    ? undefined
    : (values?.[`${client.protocol}>${backend.protocol}`] ?? values?.[`>${backend.protocol}`])

/** Proofs change on their way, so that no other vendor takes them for its own. */
function held(said: Said, { client, backend }: Path): Said {
  const unproven = (part: Part): Part => (part.kind === "thought" ? { kind: part.kind, text: part.text } : part)
  return client === backend ? said : { ...said, parts: said.parts.map(unproven) }
}

/** What both protocols can hold. Thoughts of another vendor are of use to chat completions only, where nobody proves them. */
function heldAcross(asked: Asked, { client, backend }: Path): Asked {
  const { turns, ...settings } = backend.holdsAsked(client.holdsAsked(asked))
  return {
    ...settings,
    turns: merged(
      turns.map(({ role, parts }) => ({
        role,
        parts: without(parts, (part) => part.kind === "thought" && (backend !== chatCompletions || part.text === "")),
      })),
    ),
  }
}
