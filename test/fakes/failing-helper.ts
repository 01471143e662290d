// How a helper that a selector asks can fail, and what a client and the record must see then.

import { RtrError } from "rtr"
import { expect } from "vitest"
import { completion, createFakeTransport, type FakeReply, jsonReply } from "./transport.ts"
import { watchedKernel, type WatchedOptions } from "./watched-kernel.ts"

/** How long the documents of these tests let a selector ask, in milliseconds. */
export const stageMs = 50

export const never = new Promise<never>(() => {})

export const later = <Value>(value: Value): Promise<Value> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(value), 4 * stageMs)
  })

export const down = new RtrError("upstream_unavailable", "Connection refused")

/** Asks once; `large` comes first and `small` second. Backends answer as they should where `helper` does not say how. */
export async function askWithHelper(
  algorithm: object,
  { helper, ...options }: WatchedOptions & { readonly helper?: () => FakeReply | Error | Promise<FakeReply> },
): Promise<{
  readonly status: number
  readonly model: unknown
  readonly selection: unknown
  readonly attempts: number
}> {
  const transport = createFakeTransport((request) => {
    const isHelper = request.body?.includes("You choose which model") === true
    return isHelper && helper !== undefined ? helper() : jsonReply(completion("hi"))
  })
  const kernel = await watchedKernel({
    transport,
    ...options,
    changes: {
      "routing.decisions.0.modelRefs": [{ model: "large" }, { model: "small" }],
      "routing.decisions.0.algorithm": algorithm,
      "global.model_catalog.signal_timeout_ms": stageMs,
      ...options.changes,
    },
  })
  const { status, body } = await kernel.ask("urgent")
  expect(kernel.records).toHaveLength(1)
  const [record] = kernel.records
  expect(JSON.stringify([body, record?.selection])).not.toContain("secret")
  return { status, model: record?.model, selection: record?.selection, attempts: record?.attempts.length ?? 0 }
}

/** The first candidate, and why, in few words. */
export function firstCandidate(algorithm: string, reason: string): object {
  expect(reason.split(" ").length).toBeLessThanOrEqual(10)
  return { status: 200, model: "large", selection: { candidate: 0, algorithm, confidence: 0, reason } }
}
