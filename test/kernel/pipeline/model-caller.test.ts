import { defineSignal, type ModelCaller, type RuleOf, RtrError, Type } from "rtr"
import { chatRequest, textTurn } from "rtr/testing"
import { expect, test } from "vitest"
import { createModelCaller } from "../../../ts/kernel/pipeline/model-caller.ts"
import { createModelFigures } from "../../../ts/kernel/pipeline/model-figures.ts"
import { createPlan, createTarget } from "../../fakes/plan.ts"
import { completion, createFakeTransport, type FakeReply, jsonReply, streamReply } from "../../fakes/transport.ts"
import { watchedKernel } from "../../fakes/watched-kernel.ts"

const question = chatRequest([textTurn("user", "is it urgent?")])

test("a signal that asks a model leaves an attempt in the record of the request that it reads", async () => {
  const judging = defineSignal({
    about: "Asks a model",
    rule: Type.Object({}),
    needs: ["models"],
    setup: (rules: readonly RuleOf<ReturnType<typeof Type.Object>>[], { models }: { models: ModelCaller }) => ({
      read: async (input) => {
        const { choices } = await models.ask("small", question, { about: input })
        const [block] = choices[0]?.blocks ?? []
        const yes = block?.type === "text" && block.text === "yes"
        return rules.map(({ name }) => ({ rule: name, state: yes ? "match" : "no_match", confidence: 1 }) as const)
      },
    }),
  })
  const { ask, records } = await watchedKernel({
    modules: { judging },
    changes: {
      "providers.models.0.pricing": { prompt_per_1m: 1 },
      "routing.signals.judging": [{ name: "urgent" }],
      "routing.decisions.0.rules": { type: "judging", name: "urgent" },
    },
    transport: createFakeTransport(({ url }) => jsonReply(completion(url.includes("small") ? "yes" : "answer"))),
  })
  await Promise.all([ask("one"), ask("two")])
  expect(
    records.map(({ decision, attempts, usage, costs }) => [
      decision,
      attempts.map(({ model }) => model),
      usage?.inputTokens,
      costs?.map(({ text }) => text),
    ]),
  ).toEqual([
    ["rush", ["small", "large"], 20, ["0.00001"]],
    ["rush", ["small", "large"], 20, ["0.00001"]],
  ])
})

const callerOver = (reply: FakeReply | Error) => {
  const transport = createFakeTransport(reply)
  const plan = createPlan({ models: new Map([["small", createTarget("small")]]) })
  return {
    transport,
    models: createModelCaller(() => ({ transport, figures: createModelFigures(), generation: 1, plan })),
  }
}

test("a model that nobody waits for is asked in a call of its own, which may be cancelled", async () => {
  const { models, transport } = callerOver(jsonReply(completion("yes")))
  const leaving = new AbortController()
  const { choices } = await models.ask("small", { ...question, stream: true }, { signal: leaving.signal })
  expect(choices[0]?.blocks).toEqual([expect.objectContaining({ type: "text", text: "yes" })])
  const [request] = transport.requests
  expect([request?.headers["x-selected-model"], JSON.parse(request?.body ?? "").stream === true]).toEqual([
    "small",
    false,
  ])
  expect(request?.signal?.aborted).toBe(false)
  leaving.abort()
  expect(request?.signal?.aborted).toBe(true)
})

test("everything but a whole reply rejects", async () => {
  const cases: readonly (readonly [FakeReply | Error, string, string])[] = [
    [
      jsonReply({ error: { message: "no" } }, { status: 429 }),
      "upstream_error",
      'Model "small" answered with status 429',
    ],
    [streamReply([]), "upstream_error", "the request asked for none"],
    [new RtrError("upstream_timeout", "late"), "upstream_timeout", "late"],
  ]
  for (const [reply, code, message] of cases)
    await expect(callerOver(reply).models.ask("small", question)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    })
  await expect(callerOver(jsonReply({})).models.ask("nobody", question)).rejects.toMatchObject({
    code: "model_not_found",
    message: 'Cannot ask model "nobody": it is not in providers.models',
  })
})
