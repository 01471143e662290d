import { describe, expect, test } from "vitest"
import { type ErrorCode, errorCodes, ManagementError, RtrError } from "rtr"
import {
  errorResponse,
  inferenceErrorBody,
  managementErrorBody,
  toPublicError,
} from "../../../ts/kernel/http/error-body.ts"

describe("toPublicError", () => {
  test("shows errors that know what went wrong", () => {
    const error = new RtrError("overloaded", "busy")
    expect(toPublicError(error)).toBe(error)
  })

  test("leaves what is wrong with a module to operators", () => {
    const error = new RtrError("invalid_module", 'Cannot use plugin "a" from /etc/rtr/a.ts')
    expect(toPublicError(error, true)).toBe(error)
    expect(toPublicError(error)).toMatchObject({
      code: "invalid_module",
      message: "A module of the router does not work; the router's log says which",
    })
  })

  test.each([new TypeError("secret"), "secret", undefined, null, { code: "overloaded", message: "secret" }])(
    "shows nothing of %s",
    (error) => {
      const shown = toPublicError(error)
      expect([shown.code, shown.message, shown.cause]).toEqual([
        "internal_error",
        "Something went wrong inside the router; its log has the request id",
        undefined,
      ])
    },
  )
})

describe("the body for inference clients", () => {
  const types: Readonly<Partial<Record<number, string>>> = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
  }

  test.each(Object.keys(errorCodes) as ErrorCode[])("of %s", (code) => {
    const status = errorCodes[code]
    expect(
      inferenceErrorBody(new RtrError(code, "what happened", { cause: "secret", hint: "secret" }), "req-1"),
    ).toEqual({
      error: {
        message: "what happened",
        type: types[status] ?? (status >= 500 ? "server_error" : "invalid_request_error"),
        code,
        param: null,
        details: { request_id: "req-1" },
      },
    })
  })
})

describe("the body for management clients", () => {
  const named: Readonly<Partial<Record<ErrorCode, string>>> = {
    invalid_request: "INVALID_INPUT",
    request_too_large: "REQUEST_BODY_TOO_LARGE",
    model_not_found: "INVALID_ROUTING_MODEL",
    deadline_exceeded: "REQUEST_TIMEOUT",
  }

  test.each(Object.keys(errorCodes) as ErrorCode[])("of %s", (code) => {
    expect(managementErrorBody(new RtrError(code, "what happened"), "req-1")).toEqual({
      error: {
        code: named[code] ?? code.toUpperCase(),
        message: "what happened",
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        request_id: "req-1",
      },
    })
  })
})

test("an error of the management API has its own code and status there, and the nearest code elsewhere", () => {
  const error = new ManagementError(412, "CONFIG_CHANGED", "somebody was first")
  expect([toPublicError(error), error.status, error.code]).toEqual([error, 412, "invalid_request"])
  expect(managementErrorBody(error, "req-1")).toMatchObject({ error: { code: "CONFIG_CHANGED" } })
  expect([401, 403, 404, 429, 500, 503, 504].map((status) => new ManagementError(status, "X", "x").code)).toEqual([
    "invalid_api_key",
    "invalid_request",
    "not_found",
    "overloaded",
    "internal_error",
    "unavailable",
    "deadline_exceeded",
  ])
})

describe("the response", () => {
  const headersOf = (error: RtrError) =>
    Object.fromEntries(errorResponse(error, { a: 1 }, { requestId: "req-1" }).headers)

  test("has status, body and request id", async () => {
    const response = errorResponse(new RtrError("not_found", "x"), { a: 1 }, { requestId: "req-1" })
    expect([response.status, await response.json(), Object.fromEntries(response.headers)]).toEqual([
      404,
      { a: 1 },
      { "content-type": "application/json", "x-request-id": "req-1" },
    ])
  })

  test("says when to come back", () => {
    expect(headersOf(new RtrError("overloaded", "x", { retryAfterSeconds: 7 }))).toMatchObject({ "retry-after": "7" })
    expect(headersOf(new RtrError("overloaded", "x", { retryAfterSeconds: 0 }))).toMatchObject({ "retry-after": "0" })
  })

  test("asks for a key where one is missing", () => {
    expect(headersOf(new RtrError("invalid_api_key", "x"))).toMatchObject({ "www-authenticate": "Bearer" })
  })
})
