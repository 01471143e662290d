import type { ChatRequest, Fact, JsonValue } from "rtr"
import { chatRequest, signalContract, signalInput, textTurn } from "rtr/testing"
import { Value } from "typebox/value"
import { describe, expect, test } from "vitest"
import chatCompletions from "../../../ts/plugins/dialects/chat-completions.ts"
import signal from "../../../ts/plugins/signals/metadata.ts"
import { createFakeKernel, chat } from "../../fakes/kernel.ts"
import { documentWith } from "../../fakes/document.ts"

type Rule = Parameters<typeof signal.setup>[0][number]

const rules: readonly Rule[] = [
  { name: "equal", key: "cohort", predicate: { equals: "canary" } },
  { name: "several", key: "cohort", predicate: { in: ["canary", "beta"] } },
  { name: "there", key: "cohort", predicate: { exists: true } },
  { name: "absent", key: "cohort", predicate: { exists: false } },
]

async function read(changes: Partial<ChatRequest>): Promise<readonly Fact[]> {
  const request = chatRequest([textTurn("user", "hi")], changes)
  return (await signal.setup(rules, { settings: {} })).read({ ...signalInput("hi"), request }, {})
}
const matching = async (metadata: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await read({ session: { metadata } })).flatMap(({ rule, state }) => (state === "match" ? [rule] : []))

describe("contract", () => {
  for (const { name, run } of signalContract(signal, {
    rules,
    invalidRules: [
      { name: "none", key: "cohort", predicate: {} },
      { name: "two", key: "cohort", predicate: { equals: "a", exists: true } },
      { name: "space", key: " cohort", predicate: { exists: true } },
    ],
  }))
    test(name, run)
})

test("names that differ in capitals alone are refused", () => {
  const reported: unknown[] = []
  const given = ["tier", "other", "Tier"].map((name) => ({ name, key: "k", predicate: { exists: true } }))
  signal.check?.(given, (path, message) => reported.push([path, message]))
  expect(reported).toEqual([[[2, "name"], '"Tier" is the name of another rule, "tier", in other letters']])
})

test.each([
  [{ cohort: "canary" }, ["equal", "several", "there"]],
  [{ cohort: "beta", x: "y" }, ["several", "there"]],
  [{ cohort: "Canary" }, ["there"]],
  [{ cohort: "" }, ["there"]],
  [{ other: "canary" }, ["absent"]],
  [{}, ["absent"]],
] as [Record<string, string>, string[]][])("metadata %j matches %j", async (metadata, names) => {
  expect(await matching(metadata)).toEqual(names)
})

test("a request without metadata has none of its fields", async () => {
  expect((await read({})).map(({ state }) => state)).toEqual(["no_match", "no_match", "no_match", "match"])
  expect((await read({ extensions: { metadata: null } }))[3]?.state).toBe("match")
})

const many = (count: number): JsonValue => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]))

test.each<[string, JsonValue, string]>([
  ["32 fields", many(32), "read"],
  ["33 fields", many(33), "invalid_request"],
  ["a key of 128 bytes", { ["k".repeat(128)]: "v" }, "read"],
  ["a key of 129 bytes", { ["k".repeat(129)]: "v" }, "invalid_request"],
  ["an empty key", { "": "v" }, "invalid_request"],
  ["a value of 1024 bytes", { k: "v".repeat(1024) }, "read"],
  ["a value of 1025 bytes in 513 letters", { k: `${"é".repeat(512)}v` }, "invalid_request"],
  ["a number", { k: 1 }, "invalid_request"],
  ["a list", ["k"], "invalid_request"],
  ["a text", "k", "invalid_request"],
])("%s as metadata: %s", async (_, metadata, outcome) => {
  const reading = read({ extensions: { metadata } })
  expect(
    await reading.then(
      () => "read",
      (error: { readonly code: string }) => error.code,
    ),
  ).toBe(outcome)
})

test("chat completions hand over what they read, texts or not", async () => {
  const request = chatCompletions.readRequest({
    model: "MoM",
    messages: [{ role: "user", content: "hi" }],
    metadata: { cohort: "canary" },
  })
  expect((await read({ session: request.session }))[0]?.state).toBe("match")
})

test("metadata over the limits is the client's mistake: 400, and no backend is called", async () => {
  const kernel = await createFakeKernel({
    config: documentWith({
      "routing.signals.metadata": [rules[0]],
      "routing.decisions.0.rules": { type: "metadata", name: "equal" },
    }),
  })
  const response = await kernel.fetch(chat("hi", { metadata: { k: "v".repeat(1025) } }))
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { code: "invalid_request", message: "metadata has a value of more than 1024 bytes" },
  })
  expect(kernel.transport.requests).toEqual([])
})

test.each([
  [{ key: "a", predicate: { equals: "" } }, true],
  [{ key: "a", predicate: { in: [] } }, false],
  [{ key: "", predicate: { exists: true } }, false],
  [{ key: "a", predicate: { matches: "x" } }, false],
])("options %j are valid: %s", (options, valid) => expect(Value.Check(signal.rule, options)).toBe(valid))
