// What the crowd sends: requests that ask the guards' model about very much.

import type { TextMaker } from "../inference/texts.ts"

export interface Crowd {
  readonly name: string
  /** What it is, for the table. */
  readonly about: string
  /** How many send at the same time; each sends its next request when the last one is answered. */
  readonly clients: number
  readonly body: (texts: TextMaker) => object
}

const messages = (count: number, tokens: number) => (texts: TextMaker) => ({
  model: "MoM",
  messages: Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 1 && index < count - 1 ? "assistant" : "user",
    content: texts.ofTokens(tokens),
  })),
})

const shortTokens = 10

export const crowds: readonly Crowd[] = [
  { name: "history", about: "one client, 10,000 messages", clients: 1, body: messages(10_000, shortTokens) },
  { name: "histories", about: "ten clients, 500 messages each", clients: 10, body: messages(500, shortTokens) },
  { name: "document", about: "one client, 16,000 words", clients: 1, body: messages(1, 16_000) },
  { name: "many", about: "fifty clients, 500 messages each", clients: 50, body: messages(500, shortTokens) },
]
