// The prepared requests of a contender, and the complete check of what it answers.

import { request } from "undici"
import type { Address } from "../_shared/load/address.ts"
import { type PreparedRequest, prepareRequest } from "../_shared/load/prepared-request.ts"
import { eventCount, expectedInJson, expectedInStream, replyText } from "./backend-replies.ts"
import type { Contender } from "./contender.ts"
import { ports } from "./ports.ts"
import { type BenchPrompt, prompts, systemPrompt } from "./prompts.ts"

export type Mode = "json" | "sse"

/** Hands out the prompts in turn. */
export function requestsOf(contender: Contender, mode: Mode): () => PreparedRequest {
  const prepared = prompts.map((prompt) =>
    prepareRequest({
      path: contender.path,
      headers: contender.headers,
      body: bodyOf(contender, prompt, mode),
      expected: mode === "json" ? expectedInJson : expectedInStream,
    }),
  )
  let next = 0
  return () => prepared[next++ % prepared.length] as PreparedRequest
}

function bodyOf({ model }: Contender, { text }: BenchPrompt, mode: Mode): object {
  return {
    model,
    messages: [
      { role: "system", content: systemPrompt },
      { role: "user", content: text },
    ],
    temperature: 0.2,
    max_tokens: 512,
    ...(mode === "sse" && { stream: true }),
  }
}

/** Sends every prompt once, parses the whole answer, and asks the backend which model it got. Rejects at the first difference. */
export async function checkContender(contender: Contender): Promise<void> {
  for (const mode of ["json", "sse"] as const) {
    for (const prompt of prompts) {
      const reply = await request(`${originOf(contender.address)}${contender.path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...contender.headers },
        body: JSON.stringify(bodyOf(contender, prompt, mode)),
      })
      const text = await reply.body.text()
      const at = `${contender.name}, ${mode}, "${prompt.text.slice(0, 40)}…"`
      if (reply.statusCode !== 200) throw new Error(`${at}: status ${reply.statusCode}: ${text.slice(0, 500)}`)
      const content = mode === "json" ? contentOf(JSON.parse(text)) : joinStream(text)
      if (content !== replyText) throw new Error(`${at}: the content is ${JSON.stringify(content)}`)
      expectEqual(at, "the backend's model", await lastModel(), contender.upstreamModel(prompt))
      if (contender.model === "MoM")
        expectEqual(at, "the decision", reply.headers["x-rtr-selected-decision"], prompt.decision)
    }
  }
}

function expectEqual(at: string, what: string, actual: unknown, wanted: unknown): void {
  if (actual !== wanted) throw new Error(`${at}: ${what} is ${String(actual)}, and should be ${String(wanted)}`)
}

const originOf = (address: Address): string =>
  "port" in address ? `http://${address.host}:${address.port}` : "http://localhost"

async function lastModel(): Promise<unknown> {
  const { body } = await request(`http://127.0.0.1:${ports.backend}/last`)
  return ((await body.json()) as { model?: unknown }).model
}

interface Choices {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string }
    readonly delta?: { readonly content?: string }
  }[]
}

const contentOf = (value: unknown): string | undefined => (value as Choices).choices?.[0]?.message?.content

function joinStream(text: string): string {
  const data = text
    .split(/\r?\n\r?\n/)
    .flatMap((event) => (event.startsWith("data:") ? [event.slice("data:".length).trim()] : []))
  if (data.at(-1) !== "[DONE]") throw new Error(`The stream does not end with [DONE]: ${text.slice(-200)}`)
  const deltas = data.slice(0, -1).flatMap((event) => (JSON.parse(event) as Choices).choices?.[0]?.delta?.content ?? [])
  const filled = deltas.filter((delta) => delta !== "")
  if (filled.length !== eventCount) throw new Error(`The stream has ${filled.length} events with text`)
  return deltas.join("")
}
