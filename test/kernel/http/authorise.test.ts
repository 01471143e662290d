import { describe, expect, test } from "vitest"
import { createAuthorise } from "../../../ts/kernel/http/authorise.ts"
import type { ManagementToken } from "../../../ts/kernel/types/plan.ts"
import { ask, fakeListener, fakeOperation, namedKeys } from "../../fakes/listener.ts"

/** The check of an inference listener with these keys. */
const createKeyCheck = (apiKeys: readonly string[]) => {
  const authorise = createAuthorise({ kind: "inference", name: "main", apiKeys: namedKeys(...apiKeys) })
  return (headers: Headers) => authorise(headers, { permission: "inference.invoke" })
}

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
    [{ "x-api-key": "second" }],
    [{ authorization: "Basic abc", "api-key": "first" }],
  ])("%j", (headers) => expect(allows(["first", "second"], headers)).toBe(true))

  test("a key may hold any character that a header can", () => {
    expect(allows(["sk-a.b_c~d+e/f="], { authorization: "Bearer sk-a.b_c~d+e/f=" })).toBe(true)
    expect(allows(["größe"], { "api-key": "größe" })).toBe(true)
  })
})

test("a client is known by the name of its key", () => {
  const check = createKeyCheck(["first", "second"])
  const { name, key } = check(new Headers({ "api-key": "second" }))
  expect([name, key]).toEqual(["key-2", "key-2"])
  expect(createKeyCheck([])(new Headers()).key).toBeUndefined()
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
    [{ "x-api-key": "" }],
    [{ "x-api-key": "Bearer first" }],
    [{ authorization: "Bearer wrong", "api-key": "first" }],
    [{ authorization: "Bearer wrong", "x-api-key": "first" }],
    [{ "api-key": "wrong", "x-api-key": "first" }],
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

describe("a listener with keys", () => {
  test("asks for them before it says anything else, and not on open operations", async () => {
    const operations = [fakeOperation(), fakeOperation({ id: "health.read", path: "/health", open: ["inference"] })]
    const app = fakeListener({ operations, apiKeys: namedKeys("secret") })
    for (const [path, method] of [
      ["/thing", "GET"],
      ["/thing", "DELETE"],
      ["/nothing", "GET"],
      ["/health/more", "GET"],
    ] as const) {
      const { status, headers, body } = await ask(app, path, { method })
      expect([status, headers["www-authenticate"], body]).toMatchObject([
        401,
        "Bearer",
        { error: { message: "Unauthorized: missing or invalid API key", code: "invalid_api_key" } },
      ])
    }
    expect((await ask(app, "/thing", { headers: { authorization: "Bearer secret" } })).status).toBe(200)
    expect((await ask(app, "/health")).status).toBe(200)
  })
})

describe("the management listener", () => {
  const tokens: readonly ManagementToken[] = [
    { token: "all", principal: { role: "admin", permissions: undefined, name: "A" } },
    { token: "look", principal: { role: "viewer", permissions: new Set(["docs.read"]), name: "V" } },
  ]
  const operations = [
    fakeOperation({ errors: "management", handle: ({ principal }) => ({ body: principal.role }) }),
    fakeOperation({ id: "docs.read", path: "/docs", permission: "docs.read", errors: "management" }),
    fakeOperation({ id: "health.read", path: "/health", open: ["management"], errors: "management" }),
  ]
  const statuses = async (given: readonly ManagementToken[] | undefined, authorization?: string) => {
    const app = fakeListener({ kind: "management", name: "management", operations, tokens: given })
    const answers = ["/thing", "/docs", "/health", "/nothing"].map((path) =>
      ask(app, path, authorization === undefined ? {} : { headers: { authorization } }),
    )
    return (await Promise.all(answers)).map(
      ({ status, body }) => (body as { error?: { code: string } }).error?.code ?? status,
    )
  }

  test("takes everybody for an administrator while authentication is off", async () => {
    expect(await statuses(undefined)).toEqual([200, 200, 200, "NOT_FOUND"])
  })

  test.each<[string | undefined, readonly (string | number)[]]>([
    ["Bearer all", [200, 200, 200, "NOT_FOUND"]],
    ["Bearer  all ", [200, 200, 200, "NOT_FOUND"]],
    ["Bearer look", ["FORBIDDEN", 200, 200, "NOT_FOUND"]],
    ["bearer all", ["UNAUTHORIZED", "UNAUTHORIZED", 200, "UNAUTHORIZED"]],
    ["Bearer al", ["UNAUTHORIZED", "UNAUTHORIZED", 200, "UNAUTHORIZED"]],
    ["Bearer ", ["UNAUTHORIZED", "UNAUTHORIZED", 200, "UNAUTHORIZED"]],
    [undefined, ["UNAUTHORIZED", "UNAUTHORIZED", 200, "UNAUTHORIZED"]],
  ])("with tokens answers %j by its role", async (authorization, expected) => {
    expect(await statuses(tokens, authorization)).toEqual(expected)
  })

  test("says so when it asks for a token and has none", async () => {
    expect(await statuses([], "Bearer all")).toEqual([
      "MANAGEMENT_AUTH_NOT_CONFIGURED",
      "MANAGEMENT_AUTH_NOT_CONFIGURED",
      200,
      "MANAGEMENT_AUTH_NOT_CONFIGURED",
    ])
  })

  test("hands the principal to the operation, and keeps inference keys out of it", async () => {
    const app = fakeListener({ kind: "management", operations, tokens, apiKeys: namedKeys("key") })
    expect((await ask(app, "/thing", { headers: { authorization: "Bearer all" } })).body).toBe("admin")
    expect((await ask(app, "/thing", { headers: { "api-key": "key" } })).status).toBe(401)
  })
})
