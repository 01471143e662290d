import type { ChatRequest, JsonValue, WireObject } from "rtr"
import { pluginCall, pluginContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/system-prompt.ts"
import dialect from "../../../ts/plugins/dialects/chat-completions.ts"

describe("contract", () => {
  for (const options of [{ system_prompt: "Be kind" }, { system_prompt: "Be kind", mode: "replace" }, {}])
    describe(JSON.stringify(options), () => {
      for (const { name, run } of pluginContract(plugin, { options })) test(name, run)
    })
})

const user = { role: "user", content: "hello" }
type Options = Parameters<typeof plugin.setup>[0]
type Message = Readonly<Record<string, JsonValue>>

/** The wire after the plugin has seen it, or undefined when the request is left alone. */
async function wireAfter(options: Options, body: WireObject): Promise<WireObject | undefined> {
  const call = pluginCall(dialect.readRequest({ model: "MoM", ...body }))
  const result = await (await plugin.setup(options, { decision: "test" })).open(call).before(call)
  const { request } = (result ?? {}) as { request?: ChatRequest }
  return request && dialect.writeRequest(request, { model: "MoM" })
}
const messagesAfter = async (options: Options, ...messages: readonly Message[]): Promise<unknown> =>
  (await wireAfter(options, { messages }))?.["messages"]

test("everything beside the messages stays", async () => {
  expect(await wireAfter({ system_prompt: "P" }, { messages: [user], n: 1, x_own: {} })).toEqual({
    model: "MoM",
    messages: [{ role: "system", content: "P" }, user],
    n: 1,
    x_own: {},
  })
})

describe("insert", () => {
  test.each<[string, readonly Message[], readonly Message[]]>([
    ["no system message", [user], [{ role: "system", content: "P" }, user]],
    ["a system message", [{ role: "system", content: "own" }, user], [{ role: "system", content: "P\n\nown" }, user]],
    [
      "a developer message",
      [{ role: "developer", content: "own" }, user],
      [{ role: "developer", content: "P\n\nown" }, user],
    ],
    [
      "a name on it",
      [{ role: "system", content: "own", name: "n" }],
      [{ role: "system", content: "P\n\nown", name: "n" }],
    ],
    ["an empty one", [{ role: "system", content: "" }], [{ role: "system", content: "P" }]],
    ["one without content", [{ role: "system" }], [{ role: "system", content: "P" }]],
    ["one of null", [{ role: "system", content: null }], [{ role: "system", content: "P" }]],
    [
      "one of parts",
      [{ role: "system", content: [{ type: "text", text: "own" }] }],
      [
        {
          role: "system",
          content: [
            { type: "text", text: "P" },
            { type: "text", text: "own" },
          ],
        },
      ],
    ],
    [
      "two of them: the first",
      [
        { role: "system", content: "one" },
        { role: "system", content: "two" },
      ],
      [
        { role: "system", content: "P\n\none" },
        { role: "system", content: "two" },
      ],
    ],
    [
      "one that does not come first",
      [user, { role: "system", content: "own" }],
      [user, { role: "system", content: "P\n\nown" }],
    ],
  ])("before %s", async (_, messages, result) => {
    expect(await messagesAfter({ system_prompt: "P" }, ...messages)).toEqual(result)
    expect(await messagesAfter({ system_prompt: "P", mode: "insert", enabled: true }, ...messages)).toEqual(result)
  })
})

describe("replace", () => {
  test.each<[string, readonly Message[], readonly Message[]]>([
    ["no system message", [user], [{ role: "system", content: "P" }, user]],
    [
      "a system message",
      [{ role: "system", content: "own", name: "n" }, user],
      [{ role: "system", content: "P", name: "n" }, user],
    ],
    ["a developer message", [{ role: "developer", content: "own" }], [{ role: "developer", content: "P" }]],
    ["parts", [{ role: "system", content: [{ type: "text", text: "own" }] }], [{ role: "system", content: "P" }]],
  ])("%s", async (_, messages, result) =>
    expect(await messagesAfter({ system_prompt: "P", mode: "replace" }, ...messages)).toEqual(result),
  )
})

test("append puts it behind the client's, and says that others do not", async () => {
  const own = { role: "system", content: "own" }
  const options = { system_prompt: "P", mode: "append" } as const
  expect(await messagesAfter(options, own, user)).toEqual([{ role: "system", content: "own\n\nP" }, user])
  expect(await messagesAfter(options, user)).toEqual([{ role: "system", content: "P" }, user])
  const told: unknown[] = []
  plugin.check?.(options, (path, _, severity) => told.push([path, severity]))
  plugin.check?.({ mode: "insert" }, (path) => told.push(path))
  expect(told).toEqual([[["mode"], "warning"]])
})

test.each<Options>([{}, { system_prompt: "" }, { system_prompt: "P", enabled: false }, { mode: "replace" }])(
  "%j does nothing",
  async (options) => {
    expect(await messagesAfter(options, user)).toBeUndefined()
  },
)

test.each([
  [{ system_prompt: "x", mode: "behind" }, false],
  [{ system_prompt: 5 }, false],
  [{ enabled: "yes" }, false],
  [{ enabled: false }, true],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(plugin.options, options)).toBe(valid))
