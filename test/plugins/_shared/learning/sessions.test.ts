import { RtrError } from "rtr"
import { createFakeStores, signalInput } from "rtr/testing"
import { expect, test } from "vitest"
import { createSessionKey, createSessions } from "../../../../ts/plugins/_shared/learning/sessions.ts"
import { learningOf } from "../../../../ts/plugins/_shared/learning/settings.ts"

const state = { model: "m", decision: "d", turns: 1, switches: 0, at: 0 }

test("a store that fails or is late is as if nothing were known, and told once", async () => {
  const logged: unknown[] = []
  const { kv } = createFakeStores()
  const failing = () => Promise.reject(new RtrError("unavailable", "down"))
  const options = { ttlMs: 1000, timeoutMs: 5, log: (...line: readonly unknown[]) => void logged.push(line) }
  const broken = createSessions({ ...options, kv: { ...kv, get: failing, set: failing } })
  expect(await broken.read("k")).toBeUndefined()
  broken.keep("k", state)
  expect(await broken.read("k")).toBeUndefined()
  expect(logged).toEqual([["warning", "learning_state_unavailable", { what: "session" }]])
  const late = createSessions({ ...options, kv: { ...kv, get: () => new Promise(() => {}) } })
  expect(await late.read("k")).toBeUndefined()
  const sessions = createSessions({ ...options, kv })
  sessions.keep("k", state)
  expect(await sessions.read("k")).toEqual(state)
})

test("a key is a hash of what the headers say, within the scope", async () => {
  const { protection } = learningOf({ protection: { identity: { headers: { session: "X-My-Session" } } } })
  const hashed = createSessionKey()
  const keyOf = (headers: Readonly<Record<string, string>>, scope: "session" | "conversation" = "conversation") =>
    hashed({ ...signalInput("x"), header: (name) => headers[name] }, { ...protection, scope }, "r")
  const both = { "x-my-session": "s", "x-conversation-id": "c" }
  expect(await keyOf(both)).toMatch(/^[\da-f]{32}$/)
  expect(await keyOf(both)).toBe(await keyOf(both))
  expect(await keyOf({ ...both, "x-conversation-id": "d" })).not.toBe(await keyOf(both))
  expect(await keyOf({ ...both, "x-my-session": "t" })).not.toBe(await keyOf(both))
  expect(await keyOf({ "x-my-session": "s" })).toBeUndefined()
  expect(await keyOf({ ...both, "x-conversation-id": "d" }, "session")).toBe(await keyOf(both, "session"))
  expect(await keyOf({ "x-claude-code-session-id": "s" }, "session")).toBe(
    await keyOf({ "x-my-session": "s" }, "session"),
  )
  expect(await keyOf({ "x-conversation-id": "c".repeat(257) })).toBeUndefined()
})
