import { expect, test } from "vitest"
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
