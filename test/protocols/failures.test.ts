// A backend's error for every client: status, class, type and code, by which the vendors' own libraries decide what to do.

import { APIError as AnthropicError } from "@anthropic-ai/sdk"
import { APIError as OpenAIError } from "openai"
import { expect, test } from "vitest"
import { protocols } from "./check.ts"
import type { Protocol } from "./conversation.ts"
import { createProtocolRouter, modelOf } from "./router.ts"

const statuses = [400, 401, 403, 404, 408, 413, 429, 500, 503, 529] as const
type Status = (typeof statuses)[number]

const messagesTypes: Readonly<Record<Status, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  408: "timeout_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
  529: "overloaded_error",
}
const openaiTypes: Readonly<Partial<Record<Status, string>>> = {
  404: "not_found_error",
  429: "rate_limit_error",
  500: "server_error",
  503: "server_error",
  529: "server_error",
}
const openaiType = (status: Status): string => openaiTypes[status] ?? "invalid_request_error"

/** What each vendor says itself. */
const said = {
  /** Codes are no part of the API. */
  messages: (status: Status) => ({
    type: "error",
    error: { type: messagesTypes[status], message: "the backend's words" },
  }),
  openai: (status: Status) => ({
    error: { message: "the backend's words", type: openaiType(status), code: `code_${status}`, param: "messages" },
  }),
}
const bodyOf = (backend: Protocol, status: Status): object =>
  said[backend === "messages" ? "messages" : "openai"](status)

/** What the clients know of an error. */
interface Known {
  readonly class: string
  readonly status: number
  readonly type: unknown
  readonly code: unknown
}

const openaiClasses: Readonly<Partial<Record<number, string>>> = {
  400: "BadRequestError",
  404: "NotFoundError",
  429: "RateLimitError",
}
const anthropicClasses: typeof openaiClasses = {
  ...openaiClasses,
  408: "RequestTimeoutError",
  413: "ContentTooLargeError",
  503: "ServiceUnavailableError",
  529: "OverloadedError",
}
const classOf = (classes: typeof openaiClasses, status: number): string =>
  classes[status] ?? (status >= 500 ? "InternalServerError" : "APIError")

function expected(client: Protocol, backend: Protocol, status: Status): Known {
  const credentials = status === 401 || status === 403
  const shown = credentials ? 502 : status
  const own = backend !== "messages" && !credentials ? `code_${status}` : undefined
  if (client === "messages")
    return {
      class: classOf(anthropicClasses, shown),
      status: shown,
      type: credentials ? "api_error" : messagesTypes[status],
      code: backend === "messages" && !credentials ? undefined : (own ?? "upstream_error"),
    }
  return {
    class: classOf(openaiClasses, shown),
    status: shown,
    type: credentials ? "server_error" : openaiType(status),
    code: own ?? (shown === 429 ? "rate_limit_exceeded" : shown >= 500 ? "upstream_error" : null),
  }
}

for (const client of protocols)
  for (const backend of protocols)
    for (const mode of ["json", "stream"] as const)
      test(`errors of a backend of ${backend.protocol} for a client of ${client.protocol}, ${mode}`, async () => {
        const router = await createProtocolRouter()
        const body = {
          ...client.ask({ turns: [{ role: "user", parts: [{ kind: "text", text: "go" }] }], limit: 9 }),
          model: modelOf(backend.protocol),
        }
        for (const status of statuses) {
          const headers = { "retry-after": "7", "retry-after-ms": "6500" }
          router.answer({ json: JSON.stringify(bodyOf(backend.protocol, status)), status, headers })
          const error = await client.see(router.fetch, body, mode).then(
            () => expect.unreachable("an error of the backend"),
            (thrown: unknown) => thrown as OpenAIError | AnthropicError,
          )
          const passed = [error.headers?.get("retry-after"), error.headers?.get("retry-after-ms")]
          expect.soft({ status, known: known(error), passed }).toEqual({
            status,
            known: expected(client.protocol, backend.protocol, status),
            passed: ["7", "6500"],
          })
          const isShown = status !== 401 && status !== 403
          expect.soft([status, error.message.includes("the backend's words")]).toEqual([status, isShown])
        }
      })

function known(error: OpenAIError | AnthropicError): Known {
  const common = { class: error.constructor.name, status: error.status as number }
  if (error instanceof OpenAIError) return { ...common, type: error.type, code: error.code }
  const { type, details } = (error.error as { error: { type: string; details?: { error_code: string } } }).error
  return { ...common, type, code: details?.error_code }
}

test("a text instead of an error object is told by its status", async () => {
  const router = await createProtocolRouter()
  for (const client of protocols)
    for (const [status, json] of [
      [400, "Bad Request"],
      [400, '{"error":"bad"}'],
      [429, "slow down"],
      [500, "oh no"],
    ] as const) {
      router.answer({ json, status })
      const body = client.ask({ turns: [{ role: "user", parts: [{ kind: "text", text: "go" }] }], limit: 9 })
      const error: unknown = await client
        .see(router.fetch, { ...body, model: modelOf("chat_completions") }, "json")
        .catch((thrown: unknown) => thrown)
      const isMessages = client.protocol === "messages"
      const code = status === 429 && !isMessages ? "rate_limit_exceeded" : status >= 500 ? "upstream_error" : undefined
      expect.soft([client.protocol, json, known(error as never)]).toMatchObject([
        client.protocol,
        json,
        {
          status,
          type: isMessages ? messagesTypes[status] : openaiType(status),
          code: code ?? (isMessages ? undefined : null),
        },
      ])
    }
})
