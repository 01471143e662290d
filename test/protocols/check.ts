// A conversation on its way through the router: what the backend hears, and what the client sees.

import { expect } from "vitest"
import { chatCompletions } from "./chat-completions.ts"
import { type Asked, merged, type Part, type Said, without } from "./conversation.ts"
import type { Conversation } from "./conversations.ts"
import type { Ends, Mode } from "./ends.ts"
import { messages } from "./messages.ts"
import { responses } from "./responses.ts"
import { modelOf, type ProtocolRouter } from "./router.ts"

export const protocols: readonly Ends[] = [chatCompletions, messages, responses]

export interface Path {
  readonly router: ProtocolRouter
  readonly client: Ends
  readonly backend: Ends
  readonly mode: Mode
}

/** Asks and answers, and looks at both ends. */
export async function check(conversation: Conversation, path: Path): Promise<void> {
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
