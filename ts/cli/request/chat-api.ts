// One message in each of the router's protocols, and the answer in it.

import type { Picture } from "./picture.ts"

/** What a person asks for on the command line. */
export interface Asked {
  readonly model: string
  readonly message: string
  readonly system: string | undefined
  readonly pictures: readonly Picture[]
  readonly temperature: number | undefined
  readonly maxTokens: number | undefined
  readonly stream: boolean
}

export interface ChatApi {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  body(asked: Asked): object
  /** The answer in a whole reply. */
  textOf(reply: unknown): string
  /** More of the answer in an event of a stream; empty for most events. */
  deltaOf(event: unknown): string
  /** What an event says of a reply that has failed. */
  failureOf(event: unknown): string | undefined
}

const chat: ChatApi = {
  path: "/v1/chat/completions",
  headers: {},
  body: ({ model, message, system, pictures, temperature, maxTokens, stream }) => ({
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: "system", content: system }]),
      {
        role: "user",
        content:
          pictures.length === 0
            ? message
            : [
                { type: "text", text: message },
                ...pictures.map((picture) => ({ type: "image_url", image_url: { url: dataUrl(picture) } })),
              ],
      },
    ],
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    ...(stream && { stream }),
  }),
  textOf: (reply) => {
    const { choices } = reply as { choices?: readonly { message?: { content?: unknown; refusal?: unknown } }[] }
    return textIn(choices?.[0]?.message?.content) || textIn(choices?.[0]?.message?.refusal)
  },
  deltaOf: (event) => {
    const { choices } = event as { choices?: readonly { delta?: { content?: unknown; refusal?: unknown } }[] }
    return textIn(choices?.[0]?.delta?.content) || textIn(choices?.[0]?.delta?.refusal)
  },
  failureOf: errorOf,
}

const responses: ChatApi = {
  path: "/v1/responses",
  headers: {},
  body: ({ model, message, system, pictures, temperature, maxTokens, stream }) => ({
    model,
    ...(system !== undefined && { instructions: system }),
    input:
      pictures.length === 0
        ? message
        : [
            {
              role: "user",
              content: [
                { type: "input_text", text: message },
                ...pictures.map((picture) => ({ type: "input_image", detail: "auto", image_url: dataUrl(picture) })),
              ],
            },
          ],
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    ...(stream && { stream }),
  }),
  textOf: (reply) => {
    const { output = [] } = reply as { output?: readonly { content?: unknown }[] }
    const parts = output.flatMap(({ content }) => (Array.isArray(content) ? (content as readonly Part[]) : []))
    return parts.map(({ type, text, refusal }) => (type === "output_text" ? textIn(text) : textIn(refusal))).join("")
  },
  deltaOf: (event) => {
    const { type, delta } = event as { type?: string; delta?: unknown }
    return type === "response.output_text.delta" || type === "response.refusal.delta" ? textIn(delta) : ""
  },
  failureOf: (event) => {
    const { type, message, response } = event as { type?: string; message?: unknown; response?: unknown }
    if (type === "error") return textIn(message) || errorOf(event)
    return type === "response.failed" ? (errorOf(response) ?? "the reply failed") : errorOf(event)
  },
}

interface Part {
  readonly type?: string
  readonly text?: unknown
  readonly refusal?: unknown
}

/** The API has no default. */
const messagesMaxTokens = 4096

const messages: ChatApi = {
  path: "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  body: ({ model, message, system, pictures, temperature, maxTokens = messagesMaxTokens, stream }) => ({
    model,
    max_tokens: maxTokens,
    ...(system !== undefined && { system }),
    messages: [
      {
        role: "user",
        content:
          pictures.length === 0
            ? message
            : [
                ...pictures.map(({ type, data }) => ({
                  type: "image",
                  source: { type: "base64", media_type: type, data },
                })),
                { type: "text", text: message },
              ],
      },
    ],
    ...(temperature !== undefined && { temperature }),
    ...(stream && { stream }),
  }),
  textOf: (reply) => {
    const { content } = reply as { content?: readonly Part[] }
    return (content ?? []).map(({ type, text }) => (type === "text" ? textIn(text) : "")).join("")
  },
  deltaOf: (event) => {
    const { type, delta } = event as { type?: string; delta?: Part }
    return type === "content_block_delta" && delta?.type === "text_delta" ? textIn(delta.text) : ""
  },
  failureOf: errorOf,
}

export const chatApis: Readonly<Record<string, ChatApi>> = { chat, responses, messages }

const textIn = (value: unknown): string => (typeof value === "string" ? value : "")

const dataUrl = ({ type, data }: Picture): string => `data:${type};base64,${data}`

/** The message of an error object, which all three protocols have. */
export function errorOf(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { error?: { message?: unknown } | null }
  return typeof error?.message === "string" ? error.message : undefined
}
