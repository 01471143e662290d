import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type ErrorCode, errorCodes, isRtrError, RtrError, secondsText } from "../../ts/kernel/error.ts"

describe("RtrError", () => {
  test("carries code, status, path, hint, cause and the time to wait", () => {
    const cause = new Error("inner")
    const error = new RtrError("overloaded", "Cannot do it now", {
      path: ["routing", 0],
      hint: "wait",
      cause,
      retryAfterSeconds: 3,
    })
    expect({ ...error, status: error.status, message: error.message, cause: error.cause }).toEqual({
      name: "RtrError",
      code: "overloaded",
      path: ["routing", 0],
      hint: "wait",
      retryAfterSeconds: 3,
      status: 429,
      message: "Cannot do it now",
      cause,
    })
  })

  test("has no cause when none is given", () => {
    expect("cause" in new RtrError("not_found", "x")).toBe(false)
  })

  test.each<[ErrorCode, number]>([
    ["invalid_request", 400],
    ["no_model_selected", 400],
    ["invalid_input", 400],
    ["invalid_options", 400],
    ["max_length_exceeded", 400],
    ["unreadable_content", 400],
    ["invalid_api_key", 401],
    ["model_not_allowed", 403],
    ["model_not_found", 404],
    ["not_found", 404],
    ["method_not_allowed", 405],
    ["request_timeout", 408],
    ["context_length_exceeded", 413],
    ["request_too_large", 413],
    ["unsupported_media_type", 415],
    ["unsupported_surface", 422],
    ["overloaded", 429],
    ["client_closed_request", 499],
    ["internal_error", 500],
    ["invalid_config", 500],
    ["invalid_model_output", 500],
    ["invalid_module", 500],
    ["invalid_package", 500],
    ["not_supported", 501],
    ["upstream_error", 502],
    ["not_ready", 503],
    ["unavailable", 503],
    ["signal_unresolved", 503],
    ["upstream_unavailable", 503],
    ["deadline_exceeded", 504],
    ["upstream_timeout", 504],
  ])("%s has status %i", (code, status) => expect(new RtrError(code, "").status).toBe(status))
})

describe("isRtrError", () => {
  test("recognises the class and a copy of it from another package", () => {
    const copy = Object.assign(new Error("copy"), { name: "RtrError", code: "not_found" })
    expect(isRtrError(new RtrError("not_found", "x"))).toBe(true)
    expect(isRtrError(copy)).toBe(true)
  })

  test.each([
    ["nothing", undefined],
    ["another error", new Error("x")],
    ["a plain object", { name: "RtrError", code: "not_found" }],
    ["the name without a code", Object.assign(new Error("x"), { name: "RtrError" })],
    ["a code that is not in the list", Object.assign(new Error("x"), { name: "RtrError", code: "nonsense" })],
    ["a code that every object has", Object.assign(new Error("x"), { name: "RtrError", code: "toString" })],
    ["a known code of another error", Object.assign(new Error("x"), { code: "not_found" })],
  ])("does not take %s for one", (_, value) => expect(isRtrError(value)).toBe(false))
})

describe("codes of the worker", () => {
  const file = join(import.meta.dirname, "../../crates/rtrun-core/src/error.rs")

  /** `("code", 400)` pairs and every `=> "code"`, however they are laid out. */
  function codesIn(source: string): ReadonlyMap<string, number | undefined> {
    const codes = new Map<string, number | undefined>()
    for (const [, code = ""] of source.matchAll(/=>\s*\{?\s*"([a-z]+(?:_[a-z]+)*)"/g)) codes.set(code, undefined)
    for (const [, code = "", status] of source.matchAll(/\(\s*"([a-z]+(?:_[a-z]+)*)"\s*,\s*(\d{3})\s*,?\s*\)/g))
      codes.set(code, Number(status))
    return codes
  }

  test("are found in any layout", () => {
    expect([...codesIn(`("a_b", 400), (\n "c",\n 503,\n)\n X => { "d_e" } Y => "a_b",`)]).toEqual([
      ["d_e", undefined],
      ["a_b", 400],
      ["c", 503],
    ])
  })

  test.skipIf(!existsSync(file))("are all in the list, with the same status", () => {
    const codes = codesIn(readFileSync(file, "utf8"))
    expect(codes.size).toBeGreaterThan(5)
    const known: Readonly<Record<string, number>> = errorCodes
    expect([...codes].filter(([code, status]) => known[code] !== (status ?? known[code]) || !(code in known))).toEqual(
      [],
    )
  })
})

test("a time in seconds says one second", () => {
  expect([1000, 300, 2000, 0].map(secondsText)).toEqual(["1 second", "0.3 seconds", "2 seconds", "0 seconds"])
})
