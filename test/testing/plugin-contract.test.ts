import { definePlugin, type PluginHooks, RtrError, Type } from "rtr"
import { pluginCall, pluginContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const good = {
  about: "adds a field",
  options: Type.Object({ value: Type.Integer() }, { additionalProperties: false }),
  setup: ({ value }: { value: number }): PluginHooks => ({
    before: ({ request }) => ({ request: { ...request, value } }),
  }),
}
const failures = (
  changes: object,
  options: Readonly<Record<string, unknown>> = { value: 1 },
): Promise<readonly string[]> => failuresOf(pluginContract(definePlugin({ ...good, ...changes } as never), { options }))
const before = (hook: (call: never) => unknown) => ({ setup: () => ({ before: hook }) })

const says = "says what it does in one line"
const accepts = "accepts its sample options and refuses unknown keys"
const offers = "offers only hooks that the kernel knows"
const leaves = "leaves the request it was given as it was"

test("a plugin that keeps the contract passes", async () => {
  expect(await failures({})).toEqual([])
  const hooks: PluginHooks = {
    before: () => undefined,
    around: (call, next) => next(call),
    onChunk: (chunk) => chunk,
    after: (reply) => reply,
  }
  expect(await failures({ setup: async () => hooks })).toEqual([])
})

test("a plugin may answer, refuse or change headers", async () => {
  expect(await failures(before(() => ({ answer: { kind: "json", status: 200, body: {} } })))).toEqual([])
  expect(await failures(before(() => ({ refuse: new RtrError("invalid_request", "no") })))).toEqual([])
  expect(await failures(before(async () => ({ headers: {} })))).toEqual([])
})

describe("is broken by a plugin", () => {
  test.each<[string, object, readonly string[]]>([
    ["that is of another kind", { kind: "signal" }, [says]],
    ["that does not say what it does", { about: " " }, [says]],
    ["that says it in two lines", { about: "a\nb" }, [says]],
    ["that takes unknown options", { options: Type.Object({ value: Type.Integer() }) }, [accepts]],
    [
      "whose schema refuses its sample options",
      { options: Type.Object({ value: Type.String() }, { additionalProperties: false }) },
      [accepts],
    ],
    [
      "whose check reports its sample options",
      { check: (_: unknown, report: (path: readonly string[], message: string) => void) => report(["value"], "x") },
      [accepts],
    ],
    ["with a hook that nobody calls", { setup: () => ({ befor: () => undefined }) }, [offers]],
    ["with a hook that is no function", { setup: () => ({ after: true }) }, [offers]],
    [
      "that changes the request in place",
      before(({ request }: { request: { model: string } }) => {
        request.model = "other"
      }),
      [leaves],
    ],
    [
      "that changes the messages in place",
      before(({ request }: { request: { messages: unknown[] } }) => {
        request.messages.push({})
      }),
      [leaves],
    ],
    [
      "that answers and changes at once",
      before(({ request }: { request: object }) => ({ answer: {}, request })),
      [leaves],
    ],
    ["that answers and refuses at once", before(() => ({ answer: {}, refuse: {} })), [leaves]],
    ["that refuses and changes headers at once", before(() => ({ refuse: {}, headers: {} })), [leaves]],
    ["whose request has no messages", before(() => ({ request: { model: "m" } })), [leaves]],
    ["whose request has no model", before(() => ({ request: { messages: [] } })), [leaves]],
    [
      "that trips over content of parts",
      before(({ request }: { request: { messages: { content: string }[] } }) => {
        for (const { content } of request.messages) content.trim()
      }),
      [leaves],
    ],
    [
      "that changes its options",
      {
        setup: (options: { value: number }) => {
          options.value += 1
          return {}
        },
      },
      [offers, leaves],
    ],
  ])("%s", async (_, changes, failed) => expect(await failures(changes)).toEqual(failed))
})

test("the sample options stay as they were", async () => {
  const options = { value: 1 }
  await failures({}, options)
  expect(Object.isFrozen(options)).toBe(false)
})

test("pluginCall is a frozen call", () => {
  const call = pluginCall({ model: "m", messages: [{ role: "user", content: "x" }] })
  expect(call).toEqual({
    id: "req-1",
    decision: "test",
    model: "small",
    request: { model: "m", messages: [{ role: "user", content: "x" }] },
    headers: { "x-request-id": "req-1" },
  })
  expect(Object.isFrozen(call.request.messages[0])).toBe(true)
})
