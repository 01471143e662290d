import type { ChatRequest, Fact, Turn } from "rtr"
import { chatRequest, createFakeStores, signalContract, signalInput, textTurn } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import { completion, createFakeTransport, jsonReply } from "../../fakes/transport.ts"
import { watchedKernel } from "../../fakes/watched-kernel.ts"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import responses from "../../../ts/plugins/dialects/responses.ts"
import signal from "../../../ts/plugins/signals/conversation.ts"

type Rule = Parameters<typeof signal.setup>[0][number]
type Source = Rule["feature"]["source"]

const rule = (source: Source, changes: Partial<Rule> = {}): Rule => ({
  name: "rule",
  feature: { type: "count", source },
  ...changes,
})

async function read(given: Rule, request: ChatRequest): Promise<Fact | undefined> {
  const reader = await signal.setup([given], { settings: {}, workflows: createFakeStores().workflows })
  return (await reader.read({ ...signalInput("x"), request }, {}))[0]
}
const count = async (source: Source, request: ChatRequest): Promise<number | undefined> =>
  (await read(rule(source, { predicate: { gte: 0 } }), request))?.value

const user = textTurn("user", "hi")
const answer = textTurn("assistant", "hello")
const call: Turn = { role: "assistant", blocks: [{ type: "tool_call", id: "1", name: "f", arguments: "{}" }] }
const result: Turn = { role: "tool", blocks: [{ type: "tool_result", callId: "1", blocks: [] }] }
const image = { type: "image", source: { kind: "url", url: "https://a.example/b.png" } } as const

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules: [
      { name: "exists", feature: { type: "exists", source: { type: "active_tool_loop" } } },
      { name: "count", feature: { type: "count", source: { type: "message", role: "user" } }, predicate: { gte: 2 } },
    ],
    invalidRules: [
      rule({ type: "image_content", role: "user" }, { predicate: { gte: 1 } }),
      rule({ type: "message" }, { predicate: { gt: 2, lt: 1 } }),
      { name: "rule", feature: { type: "exists", source: { type: "message" } }, predicate: { gte: 1 } },
    ],
  }))
    test(name, run)
})

test("messages count by role; each result of a tool is one, and the developer's are one together", async () => {
  const developer: Turn = { ...textTurn("system", "Be brief"), developer: true }
  const results: Turn = { role: "tool", blocks: [...result.blocks, ...result.blocks] }
  const request = chatRequest([developer, developer, textTurn("system", "s"), user, call, results, answer, user])
  const counted = await Promise.all(
    ([undefined, "user", "assistant", "system", "developer", "tool", "non_user"] as const).map((role) =>
      count({ type: "message", ...(role !== undefined && { role }) }, request),
    ),
  )
  expect(counted).toEqual([8, 2, 2, 1, 1, 2, 6])
})

test("the developer's messages are known in both protocols that have them", async () => {
  const messages = [
    { role: "developer", content: "Be brief" },
    { role: "user", content: "hi" },
  ]
  const source = { type: "message", role: "developer" } as const
  expect(await count(source, chatCompletions.readRequest({ model: "MoM", messages }))).toBe(1)
  expect(await count(source, responses.readRequest({ model: "MoM", input: messages }))).toBe(1)
  expect(await count(source, responses.readRequest({ model: "MoM", instructions: "Be brief", input: "hi" }))).toBe(0)
})

test("tools, calls, results and images are counted, images in results too", async () => {
  const seen: Turn = { role: "tool", blocks: [{ type: "tool_result", callId: "1", blocks: [image] }] }
  const request = chatRequest([{ role: "user", blocks: [image, image] }, call, seen], { tools: [{ name: "f" }] })
  expect(await count({ type: "tool_definition" }, request)).toBe(1)
  expect(await count({ type: "assistant_tool_call" }, request)).toBe(1)
  expect(await count({ type: "assistant_tool_cycle" }, request)).toBe(1)
  expect(await count({ type: "image_content" }, request)).toBe(3)
})

test.each<[string, readonly Turn[], number]>([
  ["a plain conversation", [user, answer, user], 0],
  ["a result at the end", [user, call, result], 1],
  ["a result beside a text of the user", [user, call, { role: "user", blocks: [...result.blocks, ...user.blocks] }], 1],
  ["a text of the user behind a result", [user, call, result, user], 1],
  ["a call at the end", [user, call], 1],
  ["a call that the user talks over", [user, call, user], 1],
  ["a call that was answered about", [user, call, result, answer, user], 0],
  ["a call without a result that was talked over", [user, call, call, result, answer, user], 1],
  ["nothing", [], 0],
])("the model is at work with tools: %s", async (_, turns, value) => {
  expect(await count({ type: "active_tool_loop" }, chatRequest(turns))).toBe(value)
})

test.each<[ChatRequest["toolChoice"], number, number]>([
  [undefined, 0, 0],
  ["auto", 0, 0],
  ["none", 0, 1],
  ["required", 1, 0],
  [{ name: "f" }, 1, 0],
  [{ opaque: { type: "web_search" } }, 1, 0],
  [{ opaque: { type: "allowed_tools", mode: "auto", tools: [] } }, 0, 0],
])("the choice of tools %j", async (toolChoice, required, none) => {
  const request = chatRequest([user], { tools: [{ name: "f" }], toolChoice })
  expect(await count({ type: "tool_choice_required" }, request)).toBe(required)
  expect(await count({ type: "tool_choice_none" }, request)).toBe(none)
})

test.each([
  [rule({ type: "message" }, { predicate: { gte: 2 } }), "match", 2],
  [rule({ type: "message" }, { predicate: { gte: 3 } }), "no_match", 2],
  [rule({ type: "message", role: "system" }), "match", 0],
  [{ name: "rule", feature: { type: "exists", source: { type: "message" } } } as Rule, "match", 1],
  [{ name: "rule", feature: { type: "exists", source: { type: "image_content" } } } as Rule, "no_match", 0],
])("%j says %s", async (given, state, value) => {
  expect(await read(given, chatRequest([user, answer]))).toEqual({
    rule: "rule",
    state,
    confidence: state === "match" ? 1 : 0,
    value,
  })
})

test("a rule that matches everything gets a warning", () => {
  const reported: unknown[] = []
  signal.check?.([rule({ type: "message" })], (path, _, severity) => reported.push([path.join("."), severity]))
  expect(reported).toEqual([["0.feature.type", "warning"]])
})

test("a workflow that waits for the results of tools is known by the conversation, to its client", async () => {
  const answered = (text: string) =>
    jsonReply(
      completion(text, {
        choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
      }),
    )
  const { ask, sent } = await watchedKernel({
    transport: createFakeTransport(({ body = "" }) =>
      body.includes("final answer") && !body.includes('"role":"tool"')
        ? jsonReply(
            completion("", {
              choices: [
                {
                  index: 0,
                  message: { role: "assistant", content: null, tool_calls: [lookUp] },
                  finish_reason: "tool_calls",
                },
              ],
            }),
          )
        : answered("done"),
    ),
    changes: {
      "listeners.0.api_keys": [
        { name: "ann", key: "key-a" },
        { name: "bob", key: "key-b" },
      ],
      "routing.signals.conversation": [
        { name: "waits", feature: { type: "exists", source: { type: "flow_tool_state" } } },
        { name: "one", feature: { type: "count", source: { type: "flow_tool_state" } }, predicate: { gte: 1 } },
      ],
      "routing.decisions": [
        {
          name: "goes-on",
          priority: 9,
          rules: {
            operator: "AND",
            conditions: [
              { type: "conversation", name: "waits" },
              { type: "conversation", name: "one" },
            ],
          },
          modelRefs: [{ model: "large" }],
        },
        {
          name: "team",
          modelRefs: [{ model: "small" }],
          output_contract: "One word.",
          algorithm: { type: "workflows", workflows: { roles: [{ name: "draft", models: ["small"] }] } },
        },
      ],
    },
  })
  const question = { role: "user", content: "How far is it?" }
  const results = [
    question,
    { role: "assistant", content: null, tool_calls: [lookUp] },
    { role: "tool", tool_call_id: "call_1", content: "far" },
  ]
  const tools = [{ type: "function", function: { name: "look", parameters: {} } }]
  const decision = async (messages: readonly object[], key = "key-a") =>
    (await ask("", { messages, tools }, { authorization: `Bearer ${key}` })).headers.get("x-rtr-selected-decision")
  expect(await decision(results)).toBe("team")
  expect(await decision([question])).toBe("team")
  expect(await decision([question])).toBe("team")
  expect(await decision(results)).toBe("goes-on")
  expect(
    await decision([...results, { role: "assistant", content: "It is far." }, { role: "user", content: "Thanks" }]),
  ).toBe("team")
  expect(await decision(results, "key-b")).toBe("team")
  expect(await decision([{ ...question, content: "Another" }, ...results.slice(1)])).toBe("team")
  expect(sent().length).toBeGreaterThan(6)
})

const lookUp = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }

test.each([
  [{ feature: { type: "count", source: { type: "message", role: "non_user" } } }, true],
  [{ feature: { type: "density", source: { type: "message" } } }, false],
  [{ feature: { type: "count", source: { type: "message", role: "human" } } }, false],
  [{ feature: { type: "count", source: { type: "text_bytes" } } }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
