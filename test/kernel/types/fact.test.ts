import { type ErrorCode, errorCodes, reasonOf, RtrError } from "rtr"
import { expect, test } from "vitest"

test("every error code has one of a few reasons", () => {
  const reasons: Readonly<Partial<Record<ErrorCode, string>>> = {
    deadline_exceeded: "timeout",
    upstream_timeout: "timeout",
    unavailable: "unavailable",
    not_ready: "unavailable",
    upstream_unavailable: "unavailable",
    overloaded: "overloaded",
    max_length_exceeded: "input_limit",
    scan_budget_exceeded: "input_limit",
    request_too_large: "input_limit",
    unread_words: "unread_words",
    invalid_request: "rejected",
    invalid_input: "rejected",
    invalid_question: "rejected",
    model_not_found: "rejected",
    unsupported_surface: "rejected",
  }
  for (const code of Object.keys(errorCodes) as ErrorCode[])
    expect([code, reasonOf(new RtrError(code, "x"))]).toEqual([code, reasons[code] ?? "failed"])
  for (const error of [undefined, null, "text", new TypeError("x")]) expect(reasonOf(error)).toBe("failed")
})
