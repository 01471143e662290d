import type { UnroutedRequest } from "rtr"
import { expect, test } from "vitest"
import { createRequestLog } from "../../ts/cli/request-log.ts"

function lines(request: Partial<UnroutedRequest>): readonly unknown[] {
  const written: unknown[] = []
  const log = createRequestLog({
    event: (level, event) => written.push([level, event]),
    request: () => {},
    served: (level, event) => written.push([level, event]),
  })
  const usual = { id: "1", listener: "management", kind: "management", method: "GET", path: "/startup-status" } as const
  log.onUnrouted({ ...usual, open: false, key: undefined, status: 200, error: undefined, totalMs: 1, ...request })
  log.end()
  return written
}

test("a reply that the router is not ready is no refused request", () => {
  expect(lines({ status: 503 })).toEqual([["debug", "request"]])
})

test("a request that was refused is a warning, and an error where the router could not answer", () => {
  expect(lines({ status: 401, error: "invalid_api_key" })).toEqual([["warning", "request_refused"]])
  expect(lines({ status: 503, error: "unavailable" })).toEqual([["error", "request_refused"]])
})

test("what everybody may ask fills no log", () => {
  expect(lines({ status: 503, error: "unavailable", open: true })).toEqual([["debug", "request"]])
})
