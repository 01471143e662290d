// A router with a backend for each protocol, all of which answer as told and remember what they were asked.

import type { Protocol } from "./conversation.ts"
import { createFakeKernel } from "../fakes/kernel.ts"
import { createFakeTransport, type FakeReply } from "../fakes/transport.ts"

export interface ProtocolRouter {
  /** What the client's library calls. Remembers the body it sent, the reply as it came, and which fields the backend did not get. */
  readonly fetch: typeof globalThis.fetch
  readonly last: { sent: string; replied: string; asked: string | undefined; path: string; dropped: readonly string[] }
  /** What backends answer from now on. */
  answer(reply: JsonAnswer | { readonly stream: string }): void
}

interface JsonAnswer {
  readonly json: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** The name of a model whose backend speaks this protocol. */
export const modelOf = (protocol: Protocol): string => `on-${protocol}`

export async function createProtocolRouter(): Promise<ProtocolRouter> {
  const last: ProtocolRouter["last"] = { sent: "", replied: "", asked: undefined, path: "", dropped: [] }
  let reply: FakeReply = {}
  const transport = createFakeTransport(({ body, url }) => {
    last.asked = body
    last.path = new URL(url).pathname
    return reply
  })
  const backends: Readonly<Record<Protocol, object>> = {
    chat_completions: { backend_refs: [{ endpoint: "chat.example:8000" }] },
    messages: { backend_refs: [{ base_url: "https://messages.example", provider: "anthropic", api_key: "k" }] },
    responses: {
      api_format: "responses",
      backend_refs: [{ base_url: "https://responses.example/v1", provider: "openai", api_key: "k" }],
    },
  }
  const kernel = await createFakeKernel({
    transport,
    onRecord: ({ attempts }) => (last.dropped = attempts[0]?.dropped ?? []),
    config: {
      version: "v0.3",
      listeners: [{ name: "main", address: "127.0.0.1", port: 8801 }],
      providers: {
        defaults: { model: modelOf("chat_completions") },
        models: Object.entries(backends).map(([protocol, backend]) => ({
          name: modelOf(protocol as Protocol),
          provider_model_id: "upstream",
          ...backend,
        })),
      },
      routing: {},
    },
  })
  return {
    last,
    async fetch(input, init) {
      last.sent = String(init?.body)
      last.asked = undefined
      last.dropped = []
      const response = await kernel.fetch(new Request(input as string, init))
      last.replied = await response.clone().text()
      return response
    },
    answer(given) {
      reply =
        "json" in given
          ? {
              status: given.status ?? 200,
              headers: { "content-type": "application/json", ...given.headers },
              body: given.json,
            }
          : { headers: { "content-type": "text/event-stream" }, body: given.stream }
    },
  }
}
