// A transport whose backends do what a script says, one word for each attempt, in the time of the test's clock.

import { vi } from "vitest"
import { RtrError } from "../../ts/kernel/error.ts"
import type { TransportRequest, TransportResponse } from "../../ts/kernel/types/transport.ts"
import { completion, createFakeTransport, type FakeTransport, type FakeReply, streamReply } from "./transport.ts"
import { chunk, lastChunk } from "./watched-kernel.ts"

/**
 * What one attempt meets: a status such as `200` or `429`, `429 after 2` with its `Retry-After` in seconds, or a word of
 * `behaviours`. With `+500` behind it, it does so 500 ms later.
 */
export type Script = string

/** The last word of a script goes on for ever. `asked` counts the requests by host. */
export function createScriptedTransport(
  scripts: Readonly<Record<string, readonly Script[]>>,
): FakeTransport & { readonly asked: Readonly<Record<string, number>>; readonly left: { count: number } } {
  const asked: Record<string, number> = {}
  const left = { count: 0 }
  const { requests, ...transport } = createFakeTransport(new Error("never asked"))
  return {
    ...transport,
    requests,
    asked,
    left,
    async request(request) {
      requests.push(request)
      const host = new URL(request.url).hostname.split(".")[0] ?? ""
      const position = (asked[host] = (asked[host] ?? 0) + 1) - 1
      const script = scripts[host] ?? ["200"]
      const [word = "", delay = "0"] = (script[Math.min(position, script.length - 1)] ?? "200").split("+")
      if (word === "refuse") throw new RtrError("upstream_unavailable", "the connection was refused")
      request.onSent?.()
      const onLeft = (): void => void (left.count += 1)
      request.signal?.addEventListener("abort", onLeft, { once: true })
      await passes(Number(delay), request, request.headersTimeoutMs, "no answer in time")
      return answer(word, host, request)
    },
  }
}

/** Lets the test's clock go from timer to timer until the answer is there, and no sooner than the backends are asked. */
export async function inTestTime<Value>(answering: Promise<Value>, { requests }: FakeTransport): Promise<Value> {
  const asked = requests.length
  const state = { isThere: false }
  const answered = (async () => {
    try {
      return await answering
    } finally {
      state.isThere = true
    }
  })()
  answered.catch(() => {})
  while (!state.isThere) {
    // A turn of the real event loop: whatever is not a timer goes on.
    await new Promise((resolve) => setImmediate(resolve))
    if (!state.isThere && requests.length > asked) await vi.advanceTimersToNextTimerAsync()
  }
  return answered
}

/** Waits, unless the request is cancelled or its time-out comes first. */
function passes(ms: number, { signal }: TransportRequest, timeoutMs: number, message: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onLeft = (): void => finish(() => reject(new RtrError("client_closed_request", "the client left")))
    const timer = setTimeout(
      () => finish(ms <= timeoutMs ? resolve : () => reject(new RtrError("upstream_timeout", message))),
      Math.min(ms, timeoutMs),
    )
    const finish = (how: () => void): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", onLeft)
      how()
    }
    if (signal?.aborted === true) onLeft()
    else signal?.addEventListener("abort", onLeft, { once: true })
  })
}

const broken = (): RtrError =>
  new RtrError("upstream_error", "the connection broke in the middle of the reply", { cause: new Error("reset") })

/** Pieces of a body; a number is a pause in milliseconds, and an error breaks it. */
type Piece = string | number | Error

const events = (...chunks: readonly object[]): string =>
  chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")

/** What comes behind the head of a 200. */
const behaviours: Readonly<Record<string, (host: string) => readonly Piece[]>> = {
  cut: () => [broken()],
  "cut-in-event": () => ['data: {"id":', broken()],
  "cut-after-one": (host) => [events(chunk(`from ${host}`)), 1, broken()],
  "error-event": () => [`data: ${JSON.stringify({ error: { message: "overloaded", type: "server_error" } })}\n\n`],
  empty: () => [],
  stall: () => [600_000],
  "stall-after-one": (host) => [events(chunk(`from ${host}`)), 600_000],
  trickle: (host) => [
    ...Array.from({ length: 10 }, () => [events(chunk(host)), 400]).flat(),
    events(lastChunk()),
    "data: [DONE]\n\n",
  ],
}

async function answer(word: string, host: string, request: TransportRequest): Promise<TransportResponse> {
  if (word === "hang") {
    await passes(3_600_000, request, request.headersTimeoutMs, "no answer in time")
    throw new Error("the test waits too long")
  }
  if (word === "reset") throw new RtrError("upstream_unavailable", "the connection broke before an answer came")
  if (word === "garbage") return responseOf({ body: "<html>" }, request)
  const behaviour = behaviours[word]
  const isStream = request.body?.includes('"stream":true') === true
  if (behaviour !== undefined)
    return responseOf(
      { headers: { "content-type": isStream ? "text/event-stream" : "application/json" } },
      request,
      behaviour(host),
    )
  const [, status = "200", seconds] = /^(\d+)(?: after (.+))?$/.exec(word) ?? []
  if (status === "200")
    return responseOf(
      isStream
        ? streamReply([chunk(`from ${host}`), lastChunk()])
        : { body: JSON.stringify(completion(`from ${host}`)) },
      request,
    )
  return responseOf(
    {
      status: Number(status),
      headers: { "content-type": "application/json", ...(seconds !== undefined && { "retry-after": seconds }) },
      body: JSON.stringify({ error: { message: `${host} says ${status}`, type: "some_error" } }),
    },
    request,
  )
}

function responseOf(
  { status = 200, headers = { "content-type": "application/json" }, body = [] }: FakeReply,
  request: TransportRequest,
  pieces: readonly Piece[] = typeof body === "string" ? [body] : (body as readonly string[]),
): TransportResponse {
  const rest = [...pieces]
  let over = false
  const pull = async (): Promise<Uint8Array | undefined> => {
    for (;;) {
      if (request.signal?.aborted === true) throw new RtrError("client_closed_request", "the client left")
      const piece = over ? undefined : rest.shift()
      if (piece instanceof Error) throw piece
      if (typeof piece !== "number") return piece === undefined ? undefined : new TextEncoder().encode(piece)
      await passes(piece, request, request.bodyTimeoutMs, "the reply paused")
    }
  }
  return {
    status,
    headerList: Object.entries(headers).flat(),
    header: (name) => headers[name],
    pull,
    cancel: () => void (over = true),
    async text(_, hold) {
      let text = ""
      for (let piece = await pull(); piece !== undefined; piece = await pull()) {
        hold?.(piece.length)
        text += new TextDecoder().decode(piece)
      }
      return text
    },
  }
}
