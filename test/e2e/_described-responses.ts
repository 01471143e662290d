// Checks every response that a test receives from a started router against that router's own OpenAPI document.

import type { ListenerKind, OpenApiDocument } from "rtr"
import { afterEach } from "vitest"
import { createResponseCheck, type ResponseCheck } from "../fakes/openapi.ts"

/** One started router: where its document is, and the responses that came before it could be read. */
export interface KnownRouter {
  management?: string
  check?: ResponseCheck
  readonly waiting: Seen[]
}
type Seen = Parameters<ResponseCheck>

interface KnownListener {
  readonly kind: ListenerKind
  readonly router: KnownRouter
}

const plainFetch = globalThis.fetch
const listeners = new Map<string, KnownListener>()
let problems: string[] = []

/** From now on the responses of this origin are checked, by the name under which `rtr serve` prints it. */
export function knowListener(origin: string, name: string, router: KnownRouter): void {
  const kind = name === "management" || name === "metrics" ? name : "inference"
  if (kind === "management") router.management = origin
  listeners.set(origin, { kind, router })
}

/** The router has ended; another server may get its port. */
export function forgetRouter(router: KnownRouter): void {
  for (const [origin, listener] of listeners) if (listener.router === router) listeners.delete(origin)
}

/** What was wrong so far; forgets it. */
export function takeProblems(): readonly string[] {
  const found = problems
  problems = []
  return found
}

// Clients such as the openai package take the global fetch, too. Raw sockets and other processes are not seen.
globalThis.fetch = async (input, init) => {
  const response = await plainFetch(input, init)
  const request = input instanceof Request ? input : undefined
  const { origin, pathname } = new URL(request?.url ?? String(input))
  const listener = listeners.get(origin)
  if (listener === undefined) return response
  const { kind, router } = listener
  await readDocument(router, new Headers(init?.headers ?? request?.headers).get("authorization"))
  const method = (init?.method ?? request?.method ?? "GET").toUpperCase()
  const head = { status: response.status, headers: Object.fromEntries(response.headers), listener: kind }
  await examine(router, [method, pathname, head])
  if (response.body === null) return response
  return observed(response, (text) => examine(router, [method, pathname, { ...head, text }]))
}

afterEach(() => {
  for (const { router } of listeners.values())
    for (const [method, path] of router.waiting.splice(0))
      problems.push(`${method} ${path} was not checked: no request had a token for /openapi.json`)
  const found = takeProblems()
  if (found.length > 0) throw new Error(`Responses that /openapi.json does not describe:\n${found.join("\n")}`)
})

async function examine(router: KnownRouter, seen: Seen): Promise<void> {
  if (router.check === undefined) {
    router.waiting.push(seen)
    return
  }
  if (router.check(...seen).length === 0) return
  // The document was read before the router was ready, or another configuration is active now.
  delete router.check
  await readDocument(router, null)
  problems.push(...((router.check as ResponseCheck | undefined)?.(...seen) ?? []))
}

/** Reads the document as the test's own client would. Without a management listener or a token it is left for later. */
async function readDocument(router: KnownRouter, authorization: string | null): Promise<void> {
  if (router.check !== undefined || router.management === undefined) return
  try {
    const headers = new Headers(authorization === null ? [] : [["authorization", authorization]])
    const response = await plainFetch(`${router.management}/openapi.json`, { headers })
    const body: unknown = await response.json()
    if (!response.ok) return
    router.check = createResponseCheck(body as OpenApiDocument)
  } catch {
    // The router is gone.
    return
  }
  for (const seen of router.waiting.splice(0)) await examine(router, seen)
}

/** The same response, whose text is told once it was read: event by event for a stream, which its reader may leave early. */
function observed(response: Response, tell: (text: string) => Promise<void>): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  const decoder = new TextDecoder()
  let text = ""
  const body = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      async transform(bytes, controller) {
        text += decoder.decode(bytes, { stream: true })
        const end = isStream ? text.lastIndexOf("\n\n") + 2 : 0
        if (end > 1) {
          await tell(text.slice(0, end))
          text = text.slice(end)
        }
        controller.enqueue(bytes)
      },
      flush: () => tell(text),
    }),
  )
  const { status, statusText, headers, url } = response
  return Object.defineProperty(new Response(body, { status, statusText, headers }), "url", { value: url })
}
