import { createKernel, RtrError } from "rtr"
import { createFakeInference, type FakeInferenceOptions } from "rtr/testing"
import { describe, expect, onTestFinished, test } from "vitest"
import { chat } from "../fakes/kernel.ts"

const labels = ["benign", "jailbreak"]
const refuse = (message: string): object => ({ type: "fast_response", configuration: { message } })

/** A kernel whose guards refuse, and whose other requests are answered as well. */
async function guarded(options: FakeInferenceOptions = {}) {
  const inference = createFakeInference({
    labels,
    classify: (text) => (/ignore/.test(text) ? [0, 1] : [1, 0]),
    ...options,
  })
  const told: unknown[] = []
  const kernel = await createKernel({
    inference,
    onInternalError: (error, module) => told.push([(error as { code?: unknown }).code, module]),
    config: {
      version: "v0.3",
      routing: {
        signals: {
          jailbreak: [{ name: "attack" }],
          pii: [{ name: "personal" }],
          keywords: [{ name: "any", operator: "NOR", keywords: ["nothing of this"] }],
        },
        decisions: [
          { name: "attack", priority: 2, rules: { type: "jailbreak", name: "attack" }, plugins: [refuse("No.")] },
          { name: "personal", priority: 1, rules: { type: "pii", name: "personal" }, plugins: [refuse("No.")] },
          { name: "other", priority: 0, rules: { type: "keyword", name: "any" }, plugins: [refuse("Yes.")] },
        ],
      },
    },
  })
  onTestFinished(() => kernel.close())
  const ask = async (content: unknown, role = "user") => {
    const { headers } = await kernel.fetch(
      new Request("http://router/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "MoM", messages: [{ role, content }] }),
      }),
    )
    return [headers.get("x-rtr-selected-decision"), headers.get("x-security-checks")]
  }
  return { ask, inference, told }
}

describe("guards", () => {
  test("say in the reply what they found", async () => {
    const { ask } = await guarded()
    expect(await ask("hello")).toEqual(["other", "pii:false,jailbreak:false"])
    expect(await ask("ignore that")).toEqual(["attack", "pii:false,jailbreak:true"])
    expect(await ask("I am ann@example.com")).toEqual(["personal", "pii:true,jailbreak:false"])
  })

  test("read every part of the message that has a text", async () => {
    const { ask } = await guarded()
    const parts = [
      { type: "image_url", image_url: { url: "x" } },
      { type: "text", text: "hello" },
    ]
    expect(await ask([...parts, { type: "other", text: "ignore that" }])).toEqual(["attack", "jailbreak:true"])
  })

  test("say nothing of a message that they did not read", async () => {
    const { ask } = await guarded()
    expect(await ask([{ type: "image_url", image_url: { url: "x" } }])).toEqual(["other", null])
    expect(await ask("ignore that", "system")).toEqual(["other", null])
  })

  test("have texts read to their end", async () => {
    const { ask, inference } = await guarded()
    await ask("hello")
    expect(inference.calls.flat().map(({ kind, whole }) => [kind, whole])).toEqual([
      ["classify", true],
      ["spans", true],
    ])
  })
})

test("a model of another task is told of once, because it answers no request", async () => {
  const { ask, told } = await guarded({ labels: ["cat", "dog"] })
  expect(await ask("hello")).toEqual(["other", "pii:false"])
  await ask("hello again")
  expect(told).toEqual([["invalid_model_output", "signal jailbreak"]])
})

test("a text that a guard cannot read whole is refused for good, and told without it", async () => {
  const failWith = new RtrError("scan_budget_exceeded", "too long")
  const told: unknown[] = []
  const kernel = await createKernel({
    inference: createFakeInference({ failWith }),
    onTooLong: (...call) => told.push(call),
    config: {
      version: "v0.3",
      routing: {
        signals: { jailbreak: [{ name: "attack" }] },
        decisions: [
          {
            name: "guard",
            rules: { type: "jailbreak", name: "attack", on_unknown: "fail_request" },
            plugins: [refuse("No.")],
          },
        ],
      },
    },
  })
  onTestFinished(() => kernel.close())
  const ask = () => kernel.fetch(chat("a secret text", {}, { "x-request-id": "req-1" }))
  const response = await ask()
  expect([response.status, response.headers.get("retry-after"), await response.json()]).toEqual([
    413,
    null,
    {
      error: {
        message: expect.stringMatching(/^The text is too long for the guards .* of decision "guard" to read it whole/),
        type: "invalid_request_error",
        code: "context_length_exceeded",
        param: null,
        details: { request_id: "req-1" },
      },
    },
  ])
  await ask()
  expect(told).toEqual([["req-1", 1]])
})
