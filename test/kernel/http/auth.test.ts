import { describe, expect, test } from "vitest"
import { createKeyCheck } from "../../../ts/kernel/http/auth.ts"

const allows = (keys: readonly string[], headers: Readonly<Record<string, string>>): boolean => {
  try {
    createKeyCheck(keys)(new Headers(headers))
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === "invalid_api_key") return false
    throw error
  }
}

test("without keys everybody may pass", () => {
  expect([allows([], {}), allows([], { authorization: "Bearer anything" })]).toEqual([true, true])
})

describe("any of the keys lets a client pass", () => {
  test.each<[Readonly<Record<string, string>>]>([
    [{ authorization: "Bearer first" }],
    [{ authorization: "Bearer second" }],
    [{ authorization: "bearer first" }],
    [{ authorization: "BEARER first" }],
    [{ authorization: "Bearer   first" }],
    [{ authorization: " Bearer first " }],
    [{ "api-key": "second" }],
    [{ authorization: "Basic abc", "api-key": "first" }],
  ])("%j", (headers) => expect(allows(["first", "second"], headers)).toBe(true))

  test("a key may hold any character that a header can", () => {
    expect(allows(["sk-a.b_c~d+e/f="], { authorization: "Bearer sk-a.b_c~d+e/f=" })).toBe(true)
    expect(allows(["größe"], { "api-key": "größe" })).toBe(true)
  })
})

describe("everything else does not", () => {
  test.each<[Readonly<Record<string, string>>]>([
    [{}],
    [{ authorization: "" }],
    [{ authorization: "Bearer" }],
    [{ authorization: "Bearer " }],
    [{ authorization: "first" }],
    [{ authorization: "Basic first" }],
    [{ authorization: "Bearer firs" }],
    [{ authorization: "Bearer firstfirst" }],
    [{ authorization: "Bearer First" }],
    [{ authorization: "Bearer first second" }],
    [{ authorization: "Bearer first,second" }],
    [{ "api-key": "" }],
    [{ "api-key": "Bearer first" }],
    [{ "x-api-key": "first" }],
    [{ authorization: "Bearer wrong", "api-key": "first" }],
    [{ cookie: "authorization=Bearer first" }],
  ])("%j", (headers) => expect(allows(["first", "second"], headers)).toBe(false))

  test("a key that is the beginning, the end or a repetition of one does not count", () => {
    for (const sent of ["ab", "bc", "abcabc", "abcabcabc", "cab"])
      expect(allows(["abc"], { "api-key": sent })).toBe(false)
  })
})

test("the refusal tells no key", () => {
  expect(() => createKeyCheck(["secret"])(new Headers({ authorization: "Bearer wrong" }))).toThrow(
    expect.objectContaining({ code: "invalid_api_key", message: "Unauthorized: missing or invalid API key" }),
  )
})

test("every key is compared to its end, whatever was sent", () => {
  const keys = ["aaaa", "bbbb", "cccc"]
  const reads = new Map<number, number>()
  /** The bytes of a key, with a count of how often one of them is looked at. */
  const counting = (bytes: Uint8Array, key: number): Uint8Array =>
    new Proxy(bytes, {
      get(target, name) {
        if (typeof name === "string" && /^\d+$/.test(name)) reads.set(key, (reads.get(key) ?? 0) + 1)
        return Reflect.get(target, name, target) as unknown
      },
    })
  const encode = TextEncoder.prototype.encode
  let encoded = 0
  TextEncoder.prototype.encode = function encodeCounting(text?: string) {
    const bytes = encode.call(this, text)
    encoded += 1
    return encoded <= keys.length ? (counting(bytes, encoded - 1) as typeof bytes) : bytes
  }
  try {
    const check = createKeyCheck(keys)
    for (const sent of ["aaaa", "zzzz", "bbbz", "zbbb", "cc", "ccccc"]) {
      reads.clear()
      try {
        check(new Headers({ "api-key": sent }))
      } catch {
        // Only how much was compared matters here.
      }
      expect([...reads]).toEqual(keys.map((_, key) => [key, sent.length]))
    }
  } finally {
    TextEncoder.prototype.encode = encode
  }
})
