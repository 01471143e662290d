// Builds upstream requests for families of backends, of which most speak chat completions. A family is a few facts.

import { type Backend, defineProvider, type ProviderBackend, type ProviderModule } from "../../kernel/index.ts"
import type { ReasoningWay } from "./reasoning.ts"

/** How the backends of a family are reached. */
export interface FamilyAddress {
  readonly authHeader: string
  /** Stands before the key, with its space. */
  readonly authPrefix: string
  /** Appended to the base URL. */
  readonly chatPath: string
  /** The backend's `api_version` goes into this query parameter. */
  readonly versionParameter?: string | undefined
  /** Sent unless the client or the backend's reference names others. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface ChatCompletionsFamily
  extends FamilyAddress, Omit<ProviderModule, "kind" | "dialect" | "setup" | "reasoning" | keyof FamilyAddress> {
  /** How its models are told to reason; `template`, as their families say, when left out. */
  readonly reasoning?: ReasoningWay
}

export function chatCompletionsProvider({
  authHeader,
  authPrefix,
  chatPath,
  versionParameter,
  headers,
  reasoning = "template",
  ...facts
}: ChatCompletionsFamily): ProviderModule {
  const address = { authHeader, authPrefix, chatPath, versionParameter, headers }
  return defineProvider({
    ...facts,
    dialect: "chat_completions",
    setup: (backend) => jsonBackend(backend, address),
    reasoning: async () => (await import("./reasoning.ts")).chatReasoning(reasoning),
  })
}

/** Asks a backend of a family with JSON. */
export function jsonBackend(backend: Backend, family: FamilyAddress): ProviderBackend {
  const url = urlOf(backend, family)
  const fixed = fixedHeaders(backend, family)
  const ofWhole = { ...fixed, accept: "application/json" }
  const ofStream = { ...fixed, accept: "text/event-stream" }
  return {
    toRequest({ body, stream, headers }) {
      return {
        method: "POST",
        url,
        headers: { ...family.headers, ...headers, ...(stream ? ofStream : ofWhole) },
        body: JSON.stringify(body),
      }
    },
  }
}

/** `chat_path` replaces everything behind the host; otherwise the family's path follows the base URL. */
function urlOf(backend: Backend, family: FamilyAddress): string {
  // The base URL of an endpoint has the version already.
  const path = backend.baseUrl.endsWith("/v1") ? family.chatPath.replace(/^\/v1\//, "/") : family.chatPath
  const url = new URL(
    backend.chatPath === undefined
      ? `${backend.baseUrl}${path}`
      : // Not resolved against the base: a path of two slashes would name another host.
        `${new URL(backend.baseUrl).origin}${backend.chatPath}`,
  )
  if (family.versionParameter !== undefined && backend.apiVersion !== undefined)
    url.searchParams.set(family.versionParameter, backend.apiVersion)
  return url.href
}

/** Extra headers win over the family's, and both over what plugins set, except that nothing replaces the key. */
function fixedHeaders(backend: Backend, family: FamilyAddress): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { "content-type": "application/json" }
  for (const [name, value] of Object.entries(backend.extraHeaders)) headers[name.toLowerCase()] = value
  const header = (backend.authHeader ?? family.authHeader).toLowerCase()
  if (backend.apiKey !== undefined)
    headers[header] =
      `${backend.authPrefix === undefined ? family.authPrefix : withSpace(backend.authPrefix)}${backend.apiKey}`
  return headers
}

const withSpace = (prefix: string): string => (prefix === "" || prefix.endsWith(" ") ? prefix : `${prefix} `)
