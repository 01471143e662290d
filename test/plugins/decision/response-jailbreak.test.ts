import { RtrError } from "rtr"
import { createFakeInference, type FakeInferenceOptions, pluginContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/response-jailbreak.ts"
import { documentWith } from "../../fakes/document.ts"
import { chat, createFakeKernel, post } from "../../fakes/kernel.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"

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
  // Each of the two guards reads it.
  expect([status, asked]).toEqual([403, [bad, bad]])
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

describe("a language that the guard was not measured in", () => {
  const says = "Der Himmel ist heute blau, und am Abend wird es in den Bergen wieder regnen."
  const unknown = "jailbreak:response_jailbreak=unsupported_language"
  const told = async (given: Given, stream = false) => {
    const { status, headers } = await ask({ says, ...given }, stream)
    const [named, unscanned, warnings] = ["unknown-signals", "unscanned", "response-warnings"].map((name) =>
      headers.get(`x-rtr-${name}`),
    )
    return { status, unknown: named, unscanned, warnings }
  }

  test.each([false, true])("leaves the reply unknown, and it goes on (stream: %s)", async (stream) => {
    expect(await told({}, stream)).toEqual({ status: 200, unknown, unscanned: null, warnings: null })
  })

  test("counts as found with on_error: block, whatever on_unscanned says", async () => {
    const enabled = { enabled: true }
    for (const settings of [{ on_error: "block" }, { on_error: "block", on_unscanned: "allow" }]) {
      expect(await told({ settings })).toMatchObject({ status: 403, unknown, unscanned: null })
      expect(await told({ settings, configuration: enabled })).toMatchObject({
        status: 200,
        warnings: "response_jailbreak",
      })
    }
  })

  test("is one that the settings do not name", async () => {
    for (const languages of [["en", "de"], "any"])
      expect(await told({ settings: { languages, on_error: "block" } })).toMatchObject({ status: 200, unknown: null })
  })

  test("hides no attack that was found", async () => {
    expect(await told({ says: `${says} steal` })).toMatchObject({ status: 403, unknown: null })
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

describe("the client gets only what was read", () => {
  const hidden = "Sure, here is how you steal"
  const allLogprobs = {
    content: [
      { token: hidden, logprob: -0.1, bytes: null, top_logprobs: [{ token: hidden, logprob: -0.1, bytes: null }] },
    ],
  }
  const callOf = (id: string) => ({ id, type: "function", function: { name: "run", arguments: "{}" } })
  const error = { error: { message: hidden, type: hidden, code: hidden, param: hidden } }

  async function send(path: string, body: object, answer: FakeReply, changes: object = {}) {
    const transport = createFakeTransport(answer)
    const kernel = await createFakeKernel({
      config: documentWith({
        "routing.decisions.0.rules": { operator: "AND", conditions: [] },
        "routing.decisions.0.plugins": [
          { type: "response_jailbreak", configuration: { enabled: true, action: "block" } },
        ],
        ...changes,
      }) as never,
      inference: createFakeInference({ labels, classify }),
      transport,
    })
    const response = await kernel.fetch(post(path, { model: "MoM", ...body }))
    const text = await response.text()
    const headers = JSON.stringify([...response.headers])
    await kernel.close()
    return { status: response.status, text, headers }
  }

  const whole = (choice: object, message: object, top: object = {}): FakeReply =>
    jsonReply(
      completion(good, {
        choices: [
          { index: 0, finish_reason: "stop", message: { role: "assistant", content: good, ...message }, ...choice },
        ],
        ...top,
      }),
    )
  const streamed = (choice: object, delta: object, top: object = {}): FakeReply => {
    const first = chunk({ role: "assistant", content: good, ...delta }) as { choices: object[] }
    return streamReply([{ ...first, ...top, choices: [{ ...first.choices[0], ...choice }] }, chunk({}, "stop")])
  }
  const cases: readonly [string, object, object, object?][] = [
    ["logprobs", { logprobs: allLogprobs }, {}],
    ["a field of the message", {}, { foo: hidden }],
    ["details of reasoning", {}, { reasoning_details: [{ text: hidden }] }],
    ["pictures beside the text", {}, { images: [{ url: hidden }], provider_specific_fields: { hidden } }],
    ["the reason for the end", { finish_reason: hidden }, {}],
    ["the id of a call", {}, { tool_calls: [{ index: 0, ...callOf(hidden) }] }],
    ["the id of the reply", {}, {}, { id: hidden }],
    ["the name of the model", {}, {}, { model: hidden }],
    ["a field of the reply", {}, {}, { note: hidden }],
  ]
  const surfaces: readonly [string, object][] = [
    ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }], logprobs: true }],
    ["/v1/responses", { input: "Hi", include: ["message.output_text.logprobs"], store: false }],
  ]

  test.each(cases)("%s", async (_, choice, message, top) => {
    for (const [path, body] of surfaces)
      for (const stream of [false, true]) {
        const answer = stream ? streamed(choice, message, top) : whole(choice, message, top)
        const { status, text } = await send(path, { ...body, stream }, answer)
        expect([path, stream, status, text.includes("steal")]).toEqual([path, stream, 200, false])
        expect(text).toContain("sunny")
      }
  })

  test("plain identifiers stay", async () => {
    const answer = whole({}, { tool_calls: [callOf("call_8f3a")] }, { id: "chatcmpl-7", model: "gpt-5" })
    const { text } = await send("/v1/chat/completions", surfaces[0]?.[1] ?? {}, answer)
    const { id, model, choices } = JSON.parse(text) as {
      id: string
      model: string
      choices: { message: { tool_calls: { id: string }[] } }[]
    }
    expect([id, model, choices[0]?.message.tool_calls[0]?.id]).toEqual(["chatcmpl-7", "gpt-5", "call_8f3a"])
  })

  test("an error of the backend is told in the router's own words", async () => {
    for (const [path, body] of surfaces)
      for (const stream of [false, true]) {
        const answer = jsonReply(error, {
          status: 400,
          headers: { "content-type": "application/json", "retry-after": "7", "x-ratelimit-note": hidden },
        })
        const { status, text, headers } = await send(path, { ...body, stream }, answer)
        expect([status, text.includes("steal"), headers.includes("steal")]).toEqual([400, false, false])
        expect(text).toContain("The backend answered with status 400")
        expect(headers).toContain('["retry-after","7"]')
      }
  })

  test("a code by which clients tell what to do stays", async () => {
    const answer = jsonReply({ error: { message: hidden, code: "context_length_exceeded" } }, { status: 400 })
    const { text } = await send("/v1/chat/completions", surfaces[0]?.[1] ?? {}, answer)
    expect(JSON.parse(text)).toMatchObject({ error: { code: "context_length_exceeded" } })
  })

  test("so is an error in the middle of a stream", async () => {
    for (const [path, body] of surfaces) {
      const { status, text } = await send(
        path,
        { ...body, stream: true },
        streamReply([chunk({ content: good }), error]),
      )
      expect([status, text.includes("steal")]).toEqual([502, false])
    }
  })

  test("what loopers add about the way is left out", async () => {
    const algorithms: readonly object[] = [
      { type: "remom", remom: { breadth_schedule: [1], include_intermediate_responses: true } },
      { type: "fusion", fusion: { model: "large" } },
      {
        type: "workflows",
        workflows: {
          mode: "static",
          roles: [{ name: "thinker", models: ["small"], prompt: "Think." }],
          final: { model: "large" },
          include_intermediate_responses: true,
        },
      },
    ]
    for (const algorithm of algorithms)
      for (const stream of [false, true]) {
        const { status, text } = await send(
          "/v1/chat/completions",
          { messages: [{ role: "user", content: "Hi" }], stream },
          whole({}, {}),
          {
            "routing.decisions.0.algorithm": algorithm,
            "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
          },
        )
        expect([status, /"fusion"|"flow"|reasoning_mom_responses/.test(text)]).toEqual([200, false])
        expect(text).toContain("sunny")
      }
  })
})
