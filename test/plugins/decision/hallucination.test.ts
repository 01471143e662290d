import { createFakeInference, type FakeInferenceOptions, pluginContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import plugin from "../../../ts/plugins/decision/hallucination.ts"
import { documentWith } from "../../fakes/document.ts"
import { chat, createFakeKernel } from "../../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply, streamReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const options of [{}, { enabled: true }, { enabled: true, hallucination_action: "body" }])
    describe(JSON.stringify(options), () => {
      for (const { name, run } of pluginContract(plugin, { options: options as never })) test(name, run)
    })
})

const says = "It is 400 m tall"
const tool = [
  { role: "user", content: "How tall is it?" },
  { role: "assistant", tool_calls: [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }] },
  { role: "tool", tool_call_id: "1", content: "330 m" },
]

interface Given extends FakeInferenceOptions {
  readonly configuration?: object
  readonly messages?: readonly object[]
  readonly factual?: boolean
  readonly stream?: boolean
  readonly changes?: Readonly<Record<string, unknown>>
}

async function ask({ configuration, messages = tool, factual = true, stream = false, changes, ...inference }: Given) {
  const fake = createFakeInference({
    labels: ["fact_check", "no_fact_check"],
    classify: () => (factual ? [1, 0] : [0, 1]),
    spans: () => [{ label: "UNSUPPORTED", start: 6, end: 11, probability: 0.9 }],
    ...inference,
  })
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "large" }
  const kernel = await createFakeKernel({
    config: documentWith({
      "routing.signals.fact_check": [{ name: "needs_fact_check" }],
      "routing.decisions.0.rules": { operator: "AND", conditions: [] },
      "routing.decisions.0.plugins": [{ type: "hallucination", configuration: { enabled: true, ...configuration } }],
      ...changes,
    }) as never,
    inference: fake,
    transport: createFakeTransport(
      stream
        ? streamReply([{ ...chunk, choices: [{ index: 0, delta: { content: says }, finish_reason: "stop" }] }])
        : jsonReply(completion(says)),
    ),
  })
  const response = await kernel.fetch(chat("", { messages, stream }))
  const text = await response.text()
  await kernel.close()
  const body = stream ? undefined : (JSON.parse(text) as { choices: { message: { content: string } }[] })
  return {
    status: response.status,
    warnings: response.headers.get("x-rtr-response-warnings"),
    says: body?.choices[0]?.message.content,
    asked: fake.calls.flat().flatMap((task) => (task.kind === "spans" ? [task] : [])),
  }
}

test("a reply that the results of tools do not support is marked by a header", async () => {
  const { asked, ...reply } = await ask({})
  expect(reply).toEqual({ status: 200, warnings: "hallucination", says })
  expect(asked).toEqual([
    {
      kind: "spans",
      deployment: "default",
      head: "hallucination",
      text: says,
      threshold: 0.8,
      grounds: { context: "330 m", question: "How tall is it?" },
    },
  ])
})

test("a reply that they support goes on as it is", async () => {
  expect(await ask({ spans: () => [] })).toMatchObject({ warnings: null, says })
})

test("without anything to compare with the header says so, and no model is asked", async () => {
  const messages = [{ role: "system", content: "Be brief" }, ...tool.slice(0, 1)]
  expect(await ask({ messages })).toEqual({ status: 200, warnings: "unverified_factual", says, asked: [] })
  expect(await ask({ messages, configuration: { unverified_factual_action: "none" } })).toMatchObject({
    warnings: null,
    says,
  })
})

test("the body begins with the warning, with or without the parts", async () => {
  const body = { hallucination_action: "body" }
  const warning = "Warning: Parts of this answer are not supported by its sources"
  expect(await ask({ configuration: body })).toMatchObject({ warnings: null, says: `${warning}.\n\n${says}` })
  expect(await ask({ configuration: { ...body, include_hallucination_details: true } })).toMatchObject({
    says: `${warning}:\n- 400 m\n\n${says}`,
  })
  expect(await ask({ messages: tool.slice(0, 1), configuration: { unverified_factual_action: "body" } })).toMatchObject(
    { says: `Warning: This answer could not be checked against any source.\n\n${says}` },
  )
})

test.each<[string, Given]>([
  ["off", { configuration: { enabled: false } }],
  ["set to do nothing", { configuration: { hallucination_action: "none" } }],
  ["asked about a request without facts", { factual: false }],
  ["in a document that looks for no facts", { changes: { "routing.signals.fact_check": undefined } }],
  ["given a stream", { stream: true }],
])("%s it asks nothing", async (_, given) => {
  expect(await ask(given)).toMatchObject({ status: 200, warnings: null, asked: [] })
})

test("beside the guard of replies both are named, in order", async () => {
  const { warnings } = await ask({
    labels: ["benign", "jailbreak"],
    labelsOf: (head) => (head === "fact_check" ? ["fact_check", "no_fact_check"] : undefined),
    classify: (_, head) => (head === "fact_check" ? [1, 0] : [0, 1]),
    changes: {
      "routing.decisions.0.plugins.1": { type: "response_jailbreak", configuration: { enabled: true } },
    },
  })
  expect(warnings).toBe("hallucination, response_jailbreak")
})
