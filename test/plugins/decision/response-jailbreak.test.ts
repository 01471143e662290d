import { RtrError } from "rtr"
import { createFakeInference, type FakeInferenceOptions, pluginContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/response-jailbreak.ts"
import { documentWith } from "../../fakes/document.ts"
import { chat, createFakeKernel } from "../../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply, streamReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const options of [{}, { enabled: true }, { enabled: true, action: "block", threshold: 0.5 }])
    describe(JSON.stringify(options), () => {
      for (const { name, run } of pluginContract(plugin, { options })) test(name, run)
    })
})

const bad = "Sure, here is how you steal a car"
const good = "It is sunny"
const labels = ["benign", "jailbreak"]
/** The bad text is an attack for sure, everything else none. */
const classify = (text: string): readonly number[] => (text.includes("steal") ? [0.25, 0.75] : [1, 0])
const gone = new RtrError("unavailable", "gone")

const chunk = (delta: object, finish: string | null = null): object => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "large",
  choices: [{ index: 0, delta, finish_reason: finish }],
})

interface Given extends FakeInferenceOptions {
  readonly says?: string
  readonly configuration?: object
  readonly rules?: readonly object[]
  readonly settings?: object
  readonly message?: object
}

async function ask(given: Given, stream = false) {
  const {
    says = bad,
    configuration = { enabled: true, action: "block" },
    rules = [],
    settings,
    message,
    ...inference
  } = given
  const fake = createFakeInference({ labels, classify, ...inference })
  const answer = stream
    ? streamReply([
        chunk({ role: "assistant" }),
        ...says.split(/(?<= )/).map((content) => chunk({ content })),
        chunk({}, "stop"),
      ])
    : jsonReply(
        completion(says, message === undefined ? {} : { choices: [{ index: 0, message, finish_reason: "stop" }] }),
      )
  const kernel = await createFakeKernel({
    config: documentWith({
      "routing.decisions.0.rules": { operator: "AND", conditions: [] },
      "routing.decisions.0.plugins": [{ type: "response_jailbreak", configuration }],
      ...(rules.length > 0 && { "routing.signals.jailbreak": rules }),
      ...(settings !== undefined && { "global.model_catalog.modules.prompt_guard": settings }),
    }) as never,
    inference: fake,
    transport: createFakeTransport(answer),
  })
  const response = await kernel.fetch(chat("How do I steal?", { stream }))
  const text = await response.text()
  await kernel.close()
  return { status: response.status, headers: response.headers, text, asked: fake.calls.flat().map((task) => task.text) }
}

test.each([false, true])("a reply that is found is not sent (stream: %s)", async (stream) => {
  const { status, text, asked } = await ask({}, stream)
  expect([status, asked]).toEqual([403, [bad]])
  expect(text).toContain("reply_blocked")
  expect(text).not.toContain("steal")
})

test.each([false, true])("any other is sent as it is (stream: %s)", async (stream) => {
  const { status, text, headers } = await ask({ says: good }, stream)
  expect(status).toBe(200)
  expect(headers.get("x-rtr-response-warnings")).toBeNull()
  const said = stream
    ? [...text.matchAll(/"content":"([^"]*)"/g)].map(([, each]) => each).join("")
    : (JSON.parse(text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content
  expect(said).toBe(good)
})

test.each([false, true])("with the action header the reply goes on and a header tells (stream: %s)", async (stream) => {
  const { status, headers, text } = await ask({ configuration: { enabled: true } }, stream)
  expect([status, headers.get("x-rtr-response-warnings")]).toEqual([200, "response_jailbreak"])
  expect(text).toContain("steal")
})

test.each([{ enabled: false }, {}, { enabled: true, action: "none" }])("%j asks nothing", async (configuration) => {
  const { status, asked } = await ask({ configuration })
  expect([status, asked]).toEqual([200, []])
})

describe("what was not read", () => {
  test.each([false, true])("counts as found (stream: %s)", async (stream) => {
    const { status, headers, text } = await ask({ says: good, failWith: gone }, stream)
    expect([status, headers.get("x-rtr-unscanned")]).toEqual([403, "jailbreak=unavailable"])
    expect(text).not.toContain("sunny")
  })

  test.each<[string, Given]>([
    ["the rule", { rules: [{ name: "reply", direction: "response", on_unscanned: "allow" }] }],
    ["the settings", { settings: { on_unscanned: "allow" } }],
  ])("passes where %s say so", async (_, given) => {
    const { status, headers } = await ask({ says: good, failWith: gone, ...given })
    expect([status, headers.get("x-rtr-unscanned")]).toEqual([200, "jailbreak=unavailable"])
  })
})

test("the threshold is that of the rule, else the plugin's, the guard's, or 0.5", async () => {
  const statusOf = async (given: Given): Promise<number> => (await ask(given)).status
  const block = { enabled: true, action: "block" }
  // The risk is 0.75.
  expect([
    await statusOf({}),
    await statusOf({ configuration: { ...block, threshold: 0.8 } }),
    await statusOf({ settings: { threshold: 0.8 } }),
    await statusOf({ settings: { threshold: 0.8 }, configuration: { ...block, threshold: 0.7 } }),
    await statusOf({
      rules: [{ name: "reply", direction: "response", threshold: 0.8 }],
      configuration: { ...block, threshold: 0.1 },
    }),
  ]).toEqual([403, 200, 200, 403, 200])
})

test("a hybrid rule compares with its sentences as well", async () => {
  const rules = [
    {
      name: "reply",
      direction: "response",
      method: "hybrid",
      threshold: 0.7,
      jailbreak_patterns: ["the vault is open"],
    },
  ]
  expect((await ask({ says: "the vault is open", rules })).status).toBe(403)
  expect((await ask({ says: good, rules })).status).toBe(200)
})

test("calls of tools and reasoning are read too", async () => {
  const message = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "1", type: "function", function: { name: "run", arguments: '{"command":"steal it"}' } }],
  }
  expect((await ask({ message })).status).toBe(403)
  expect((await ask({ message: { role: "assistant", content: "Fine", reasoning_content: "I steal it" } })).status).toBe(
    403,
  )
})

test("a rule for requests reads no reply, and one for replies no request", async () => {
  const { status, asked } = await ask({
    says: good,
    rules: [{ name: "asked" }, { name: "said", direction: "response" }],
  })
  expect([status, asked]).toEqual([200, [good]])
})
