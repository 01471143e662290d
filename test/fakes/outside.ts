// A kernel whose document names services outside: how they answer, and what clients get when they do not.

import { RtrError } from "rtr"
import { expect } from "vitest"
import { completion, createFakeTransport, type FakeReply, jsonReply } from "./transport.ts"
import { type WatchedKernel, type WatchedOptions, watchedKernel } from "./watched-kernel.ts"

/** A call to a service: where, with which key, and its body. */
export interface ServiceRequest {
  readonly url: string
  readonly key: string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- the wire form, which each test reads its own way
  readonly body: any
}

export type ServiceAnswer = FakeReply | Error | Promise<FakeReply>

export interface OutsideKernel extends WatchedKernel {
  readonly asked: readonly ServiceRequest[]
  /** The decision of a request, or its status where it is refused, and the signals that could not be read. */
  route(text: string): Promise<readonly [decision: string, unknown: string | null]>
}

/** Servers at `helper.example` are services; all others are backends. */
export async function outsideKernel(
  options: WatchedOptions & { readonly answer: (request: ServiceRequest) => ServiceAnswer },
): Promise<OutsideKernel> {
  const asked: ServiceRequest[] = []
  const { answer, ...rest } = options
  const transport = createFakeTransport(({ url, body, headers }) => {
    if (!url.includes("helper.example")) return jsonReply(completion("hi"))
    const request = { url, key: headers.authorization, body: JSON.parse(body ?? "{}") as unknown }
    asked.push(request)
    return answer(request)
  })
  const kernel = await watchedKernel({ ...rest, transport })
  return {
    ...kernel,
    asked,
    async route(text) {
      const { status, headers, text: body } = await kernel.ask(text)
      expect(body).not.toContain("secret")
      const decision = headers.get("x-rtr-selected-decision") ?? "–"
      return [status === 200 ? decision : `${status}`, headers.get("x-rtr-unknown-signals")]
    },
  }
}

const never = new Promise<never>(() => {})

/** How a service can fail; the words of a model never reach anybody. */
export const failures: Readonly<Record<string, readonly [answer: () => ServiceAnswer, reason: string]>> = {
  "refuses the connection": [() => new RtrError("upstream_unavailable", "Connection refused"), "unavailable"],
  "never answers": [() => never, "timeout"],
  "refuses the key": [() => jsonReply({ error: "secret" }, { status: 401 }), "rejected"],
  "has too much to do": [() => jsonReply({ error: "secret" }, { status: 429 }), "overloaded"],
  "is broken": [() => jsonReply({ error: "secret" }, { status: 500 }), "unavailable"],
  "finds the text too long": [() => jsonReply({ error: "secret" }, { status: 413 }), "input_limit"],
  "answers without JSON": [() => ({ body: "<html>secret</html>" }), "failed"],
  "answers something else": [() => jsonReply({ secret: ["secret"] }), "failed"],
  "answers without end": [() => ({ body: Array.from({ length: 80 }, () => " ".repeat(65_536)) }), "failed"],
}
