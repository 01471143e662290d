import type { ChatRequest } from "rtr"
import { pluginCall, pluginContract } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/request-params.ts"
import dialect from "../../../ts/plugins/dialects/chat-completions.ts"

describe("contract", () => {
  const all = { blocked_params: ["user"], max_tokens_limit: 10, max_n: 1, strip_unknown: true }
  for (const options of [all, {}])
    describe(JSON.stringify(options), () => {
      for (const { name, run } of pluginContract(plugin, { options })) test(name, run)
    })
})

type Options = Parameters<typeof plugin.setup>[0]
const base = { model: "MoM", messages: [{ role: "user", content: "hello" }] }

/** What is left of these fields on the wire. */
async function after(options: Options, fields: object): Promise<object> {
  const call = pluginCall(dialect.readRequest({ ...base, ...fields }))
  const result = await (await plugin.setup(options, { decision: "test" })).open(call).before(call)
  const { request } = result as { request: ChatRequest }
  const { model, messages, ...rest } = dialect.writeRequest(request, { model: "MoM" })
  expect({ model, messages }).toEqual(base)
  return rest
}

test("default_max_tokens is the limit of a request without one, and never above max_tokens_limit", async () => {
  const usual = { default_max_tokens: 100 }
  const limitOf = (sent: object): unknown => Object.values(sent)
  expect(limitOf(await after(usual, {}))).toEqual([100])
  expect(await after(usual, { max_tokens: 300 })).toEqual({ max_tokens: 300 })
  expect(await after(usual, { max_completion_tokens: 30 })).toEqual({ max_completion_tokens: 30 })
  expect(limitOf(await after({ ...usual, max_tokens_limit: 60 }, {}))).toEqual([60])
  expect(limitOf(await after({ ...usual, blocked_params: ["max_tokens"] }, { max_tokens: 7 }))).toEqual([100])
})

describe("blocked_params", () => {
  test("removes top-level fields, and nothing inside others", async () => {
    expect(
      await after(
        { blocked_params: ["user", "x_own", "none"] },
        { user: "u", x_own: {}, metadata: { user: "u" }, n: 1 },
      ),
    ).toEqual({
      metadata: { user: "u" },
      n: 1,
    })
  })

  test("removes fields with a canonical place, also those whose value nobody can read", async () => {
    const fields = { temperature: "hot", tools: [{}], tool_choice: "auto", stop: "x", max_tokens: 5, seed: 1, x: 1 }
    const blocked = ["temperature", "tools", "tool_choice", "stop", "max_tokens", "seed"]
    expect(await after({ blocked_params: blocked }, fields)).toEqual({ x: 1 })
  })

  test("removes a limit under either of its names", async () => {
    expect(await after({ blocked_params: ["max_tokens"] }, { max_completion_tokens: 5 })).toEqual({})
  })

  test.each(["model", "messages", "stream"])("cannot name %s", (name) => {
    const reported: unknown[] = []
    plugin.check?.({ blocked_params: ["user", name] }, (path, message) => reported.push([path, message]))
    expect(reported).toEqual([[["blocked_params", 1], `"${name}" cannot be blocked; a request needs it`]])
  })

  test("may name anything else, or be left out", () => {
    const reported: unknown[] = []
    plugin.check?.({ blocked_params: ["user", "tools"] }, (path) => reported.push(path))
    plugin.check?.({}, (path) => reported.push(path))
    expect(reported).toEqual([])
  })
})

describe("max_tokens_limit", () => {
  test.each([
    [{ max_tokens: 100 }, { max_tokens: 10 }],
    [{ max_tokens: 10 }, { max_tokens: 10 }],
    [{ max_tokens: 9 }, { max_tokens: 9 }],
    [{ max_tokens: 10.5 }, { max_tokens: 10 }],
    [{ max_completion_tokens: 100 }, { max_completion_tokens: 10 }],
    [
      { max_tokens: 50, max_completion_tokens: 5 },
      { max_tokens: 10, max_completion_tokens: 5 },
    ],
    [{}, {}],
    [{ max_tokens: null }, { max_tokens: null }],
    [{ n: 100 }, { n: 100 }],
  ])("turns %j into %j", async (fields, result) =>
    expect(await after({ max_tokens_limit: 10 }, fields)).toEqual(result),
  )
})

describe("max_n", () => {
  test.each([
    [{ n: 5 }, { n: 2 }],
    [{ n: 2 }, { n: 2 }],
    [{ n: 1 }, { n: 1 }],
    [{}, {}],
    [{ max_tokens: 50 }, { max_tokens: 50 }],
  ])("turns %j into %j", async (fields, result) => expect(await after({ max_n: 2 }, fields)).toEqual(result))
})

describe("strip_unknown", () => {
  const known = {
    frequency_penalty: 1,
    logit_bias: {},
    logprobs: true,
    max_completion_tokens: 5,
    max_tokens: 5,
    n: 1,
    presence_penalty: 1,
    reasoning_effort: "low",
    response_format: {},
    seed: 1,
    stop: ["x"],
    stream: true,
    stream_options: {},
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_logprobs: 1,
    top_p: 1,
    user: "u",
  }

  test("keeps the fields of the API and no other", async () => {
    const unknown = { chat_template_kwargs: {}, guided_json: {}, metadata: {}, x_own: 1, parallel_tool_calls: true }
    expect(await after({ strip_unknown: true }, { ...known, ...unknown })).toEqual(known)
    expect(await after({ strip_unknown: false }, unknown)).toEqual(unknown)
    expect(await after({}, unknown)).toEqual(unknown)
  })

  test("works together with the others", async () => {
    expect(
      await after(
        { strip_unknown: true, blocked_params: ["user"], max_n: 1, max_tokens_limit: 3 },
        { ...known, n: 4, x: 1 },
      ),
    ).toEqual({
      ...Object.fromEntries(Object.entries(known).filter(([name]) => name !== "user")),
      n: 1,
      max_tokens: 3,
      max_completion_tokens: 3,
    })
  })
})

test.each([
  [{ max_n: 0 }, false],
  [{ max_tokens_limit: 0 }, false],
  [{ max_tokens_limit: 1.5 }, false],
  [{ blocked_params: [""] }, false],
  [{ blocked_params: "user" }, false],
  [{ strip_unknown: 1 }, false],
  [{ blocked_params: [] }, true],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(plugin.options, options)).toBe(valid))
