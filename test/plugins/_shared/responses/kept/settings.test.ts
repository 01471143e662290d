import { expect, test } from "vitest"
import { documentWith, problemsOf } from "../../../../fakes/document.ts"
import { readSettings } from "../../../../../ts/plugins/_shared/responses/kept/settings.ts"

test("a section without keys keeps a thousand responses for a day in a file", () => {
  expect(readSettings({})).toEqual({
    store: { type: "sqlite", configuration: { path: "responses.db", max_entries: 1000, max_bytes: 2 ** 30 } },
    ttlMs: 86_400_000,
    maxBytes: 4 * 2 ** 20,
  })
})

test("every key says what it says", () => {
  const given = { ttl_seconds: 5, max_responses: 2, max_response_bytes: 7, max_total_bytes: 9 }
  expect(readSettings({ ...given, sqlite: { path: "a.db" } })).toEqual({
    store: { type: "sqlite", configuration: { path: "a.db", max_entries: 2, max_bytes: 9 } },
    ttlMs: 5000,
    maxBytes: 7,
  })
  expect(readSettings({ store_backend: "memory" })?.store).toEqual({
    type: "memory",
    configuration: { max_entries: 1000, max_bytes: 128 * 2 ** 20 },
  })
  expect(readSettings({ ...given, enabled: false })).toBeUndefined()
})

/** What the check of a document says of the section. */
const problemsWith = (section: object): readonly string[] =>
  problemsOf(documentWith({ "global.services.response_api": section }))

test("what would have no effect or contradicts is refused, with its place", () => {
  const at = "global.services.response_api"
  expect(problemsWith({ store_backend: "memory", sqlite: { path: "a.db" } })).toEqual([
    `${at}.sqlite: has no effect, because "store_backend" is "memory"; leave out one of them`,
  ])
  expect(problemsWith({ redis: {} })).toEqual([
    `${at}.redis: has no effect, because "store_backend" is "sqlite"; leave out one of them`,
  ])
  expect(problemsWith({ max_response_bytes: 9, max_total_bytes: 8 })).toEqual([
    `${at}.max_response_bytes: is 9, but all together may have the 8 of "max_total_bytes"; lower one or raise the other`,
  ])
  expect(problemsWith({ enabled: false, redis: {}, max_response_bytes: 9, max_total_bytes: 8 })).toEqual([])
})

test("the address of a Redis server is checked", () => {
  const at = "global.services.response_api.redis"
  const both = (key: string): string => `${at}.${key}: stands beside "url"; say it in the url alone`
  const notHost = `${at}.address: must be host:port; a URL stands in "url"`
  for (const [redis, says] of [
    [{ url: "redis://cache", address: "cache" }, both("address")],
    [{ url: "redis://cache", tls_enabled: false }, both("tls_enabled")],
    [{ address: "redis://cache" }, notHost],
    [{ address: "ann:word@cache" }, notHost],
    [{ url: "http://cache" }, expect.stringMatching(/^global\.services\.response_api\.redis\.url: /)],
    [{ address: "cache:6379" }, undefined],
  ] as const)
    expect(problemsWith({ store_backend: "redis", redis })).toEqual(says === undefined ? [] : [says])
})

test("a Redis server is told by a URL, or by the keys of the v0.3 format", () => {
  const storeOf = (redis?: object): unknown => readSettings({ store_backend: "redis", redis })?.store
  const limits = { max_entries: 1000, max_bytes: 2 ** 30 }
  expect(storeOf()).toEqual({ type: "redis", configuration: { url: "redis://localhost:6379/0", ...limits } })
  expect(storeOf({ url: "rediss://ann:word@cache:6380/1", username: "bob" })).toEqual({
    type: "redis",
    configuration: { url: "rediss://ann:word@cache:6380/1", username: "bob", ...limits },
  })
  const keys = {
    address: "cache:6380",
    db: 2,
    tls_enabled: true,
    username: "ann",
    password: "word",
    key_prefix: "team:",
  }
  expect(storeOf({ ...keys, dial_timeout: 4, read_timeout: 2 })).toEqual({
    type: "redis",
    configuration: {
      url: "rediss://cache:6380/2",
      username: "ann",
      password: "word",
      prefix: "team:",
      connect_timeout_ms: 4000,
      command_timeout_ms: 2000,
      ...limits,
    },
  })
  expect(storeOf({ address: "cache", username: "", password: "" })).toEqual({
    type: "redis",
    configuration: { url: "redis://cache/0", ...limits },
  })
})
