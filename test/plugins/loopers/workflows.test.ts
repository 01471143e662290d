import { type ChatReply, type ChatRequest, RtrError } from "rtr"
import {
  createFakeStores,
  type FakeCandidate,
  looperCall,
  looperContract,
  looperOf,
  modelReply,
  wholeReply,
} from "rtr/testing"
import { describe, expect, test } from "vitest"
import looper from "../../../ts/plugins/loopers/workflows.ts"

const roles = [
  { name: "thinker", models: ["a", "b"], prompt: "Think." },
  { name: "checker", models: ["c"], prompt: "Check.", access_list: ["thinker:2:b"] },
]

describe("contract", () => {
  for (const { name, run } of looperContract(looper, {
    options: {},
    invalidOptions: [
      { mode: "static", max_parallel: 1 },
      { mode: "dynamic", roles },
      { roles: [roles[0], roles[0]] },
      { roles: [roles[1], roles[0]] },
    ],
  }))
    test(name, run)
})

test("models must be the decision's, and a planner one of the document", () => {
  const said: string[] = []
  const report = (at: readonly (string | number)[], message: string) => void said.push(`${at.join(".")} ${message}`)
  const around = { candidates: ["a", "b"], models: new Set(["a", "b", "p"]) }
  looper.check?.({ roles: [{ name: "x", models: ["a", "p"] }], final: { model: "p" } }, report, around)
  looper.check?.({ mode: "dynamic" }, report, around)
  looper.check?.({ mode: "dynamic", planner: { model: "p" } }, report, around)
  looper.check?.({ mode: "dynamic", planner: { model: "z" } }, report, around)
  const among = "must be one of the decision's modelRefs, which are a, b"
  expect(said).toEqual([
    `final.model ${among}`,
    `roles.0.models.1 ${among}`,
    "planner.model is missing; mode dynamic asks it for a plan",
    'planner.model "z" is not in providers.models',
  ])
})

const names = ["a", "b", "c"]
const candidates = names.map((model) => ({ model, score: 1, card: undefined, pricing: undefined }))
const textOf = ({ choices }: ChatReply) => (choices[0]?.blocks[0] as { readonly text: string } | undefined)?.text
const lastText = ({ turns }: ChatRequest) =>
  (turns.findLast(({ role }) => role === "user")?.blocks.at(-1) as { readonly text: string } | undefined)?.text ?? ""
const promptOf = ({ request }: Parameters<FakeCandidate>[0]) => lastText(request)
const nameOf = ({ candidate }: Parameters<FakeCandidate>[0]) => names[Number(candidate)] ?? String(candidate)
const down = new RtrError("upstream_unavailable", "down")

async function runWith(answers: FakeCandidate, options: object, changes: Partial<ChatRequest> = {}, host: object = {}) {
  const { run } = await looperOf(looper, { options: options as never, models: ["p"], host }, candidates)
  const { call, asked, kept } = looperCall(answers)
  const request = { ...call.request, ...changes }
  const answer = await run({ ...call, request, clientTurns: request.turns })
  return { answer, asked, kept, text: textOf(wholeReply(answer)) }
}

const work: FakeCandidate = (each) =>
  modelReply(promptOf(each).includes("final answer") ? "done" : `output of ${nameOf(each)}`)

test("roles work one after the other and read what they may", async () => {
  const { asked, text, answer } = await runWith(work, {
    roles,
    final: { model: "b", prompt: "Sum up." },
    temperature: 0.3,
  })
  expect(asked.map(({ candidate }) => candidate)).toEqual([0, 1, 2, 1])
  const [first, , second, last] = asked.map(promptOf)
  expect(first).toContain("How far is the moon?")
  expect(first).toContain("Think.")
  expect(first).not.toContain("Outputs of the others")
  expect(second).toContain("thinker:2:b:\noutput of b")
  expect(second).not.toContain("output of a")
  for (const part of ["output of a", "output of b", "output of c", "Sum up."]) expect(last).toContain(part)
  expect(asked.every(({ request }) => request.generation.temperature === 0.3)).toBe(true)
  expect([text, answer.candidate, answer.reason]).toEqual(["done", 1, "2 steps with 3 outputs"])
  expect(answer.extensions?.fields).toMatchObject({
    flow: {
      mode: "static",
      steps: [
        {
          id: "thinker",
          responses: [{ agent_id: "thinker:1:a" }, { agent_id: "thinker:2:b", content: "output of b" }],
        },
        { id: "checker" },
      ],
    },
  })
})

describe("a planner", () => {
  const dynamic = { mode: "dynamic", planner: { model: "p", max_completion_tokens: 99 }, final: { model: "c" } }
  const planned =
    (plan: string): FakeCandidate =>
    (each) =>
      each.candidate === "p" ? modelReply(plan) : work(each)

  test("writes the steps", async () => {
    const plan = {
      steps: [
        { id: "one", models: ["b"], prompt: "First." },
        { id: "two", models: ["a", "c"], access_list: [] },
      ],
      final: { prompt: "End." },
    }
    const { asked, text } = await runWith(planned(`Here it is: ${JSON.stringify(plan)}`), dynamic)
    expect(asked.map(({ candidate }) => candidate)).toEqual(["p", 1, 0, 2, 2])
    expect(asked[0]?.request).toMatchObject({ output: { type: "json" }, generation: { maxOutputTokens: 99 } })
    expect(promptOf(asked[2]!)).not.toContain("output of b")
    expect(promptOf(asked[4]!)).toContain("End.")
    expect(text).toBe("done")
  })

  test.each<[string, string]>([
    ["no plan", "it has no steps"],
    [JSON.stringify({ steps: [] }), "it has no steps"],
    [
      JSON.stringify({ steps: Array.from({ length: 4 }, () => ({ models: ["a"] })) }),
      "it has 4 steps, and 3 are allowed",
    ],
    [JSON.stringify({ steps: [{ models: ["z"] }] }), "step 1 names a model that may not work"],
    [JSON.stringify({ steps: [{ models: [] }] }), "step 1 has no models"],
    [JSON.stringify({ steps: [{ models: ["a", "b", "c"] }] }), "step 1 has more than 2 models"],
    [
      JSON.stringify({ steps: [{ models: ["a"], access_list: ["later"] }] }),
      "step 1 reads what does not come before it",
    ],
    [
      JSON.stringify({
        steps: [
          { id: "x", models: ["a"] },
          { id: "x", models: ["a"] },
        ],
      }),
      "step 2 has the id of an earlier one",
    ],
  ])("that writes %s is an error, or every model solves the task", async (plan, reason) => {
    await expect(runWith(planned(plan), dynamic)).rejects.toThrow(`The plan of model "p" is none: ${reason}`)
    const { asked } = await runWith(planned(plan), { ...dynamic, on_error: "skip" })
    expect(asked.map(({ candidate }) => candidate)).toEqual(["p", 0, 1, 2])
  })
})

test("a model that fails ends the workflow, or is done without", async () => {
  const failing: FakeCandidate = (each) => {
    if (nameOf(each) === "a") throw down
    return work(each)
  }
  await expect(runWith(failing, { roles })).rejects.toBe(down)
  const { text, answer } = await runWith(failing, { roles, on_error: "skip" })
  expect(text).toBe("done")
  expect(answer.extensions?.fields).toMatchObject({
    flow: { failed_models: [{ model: "a", error: "upstream_unavailable" }] },
  })
  const lastFails: FakeCandidate = (each) => {
    if (promptOf(each).includes("final answer")) throw down
    return work(each)
  }
  await expect(runWith(lastFails, { roles })).rejects.toBe(down)
  expect((await runWith(lastFails, { roles, on_error: "skip" })).text).toBe("output of c")
})

test("tools of the client are the last model's, and the workflow goes on with their results", async () => {
  const host = createFakeStores()
  const tools = [{ name: "look" }]
  const calls: FakeCandidate = (each) =>
    promptOf(each).includes("final answer") && each.request.turns.at(-1)?.role === "user"
      ? {
          ...modelReply(""),
          choices: [
            { blocks: [{ type: "tool_call", id: "call_1", name: "look", arguments: "{}" }], stop: "tool_calls" },
          ],
        }
      : work(each)
  const first = await runWith(calls, { roles }, { tools }, host)
  expect(wholeReply(first.answer).choices[0]?.stop).toBe("tool_calls")
  expect(first.asked.map(({ request }) => request.toolChoice)).toEqual(["none", "none", "none", undefined])
  const question = { role: "user", blocks: [{ type: "text", text: "How far is the moon?" }] } as const
  const turns = [
    question,
    { role: "assistant", blocks: wholeReply(first.answer).choices[0]?.blocks ?? [] },
    { role: "tool", blocks: [{ type: "tool_result", callId: "call_1", blocks: [{ type: "text", text: "far" }] }] },
  ] as const
  const second = await runWith(calls, { roles }, { tools, turns }, host)
  expect(second.asked).toHaveLength(1)
  expect(second.text).toBe("done")
  expect(lastText(second.asked[0]!.request)).toContain("output of c")
  expect(second.asked[0]?.request.turns).toHaveLength(3)
  // Whatever plugins make of it, the conversation is the client's.
  const { run } = await looperOf(looper, { options: { roles } as never, host }, candidates)
  const { call, asked } = looperCall(calls)
  const changed = turns.map((turn) =>
    turn.role === "user" ? { ...turn, blocks: [{ type: "text" as const, text: "changed" }] } : turn,
  )
  await run({ ...call, request: { ...call.request, tools, turns: changed }, clientTurns: turns })
  expect(asked).toHaveLength(1)
  // Another decision does not go on with it.
  const elsewhere = await looperOf(
    looper,
    { options: { roles } as never, host: { ...host, decision: "other" } },
    candidates,
  )
  const there = looperCall(calls)
  await elsewhere.run({ ...there.call, request: { ...there.call.request, tools, turns }, clientTurns: turns })
  expect(there.asked.length).toBeGreaterThan(1)
  // Another conversation with the same ids of calls begins anew.
  const other = [{ ...question, blocks: [{ type: "text" as const, text: "Another question" }] }, ...turns.slice(1)]
  expect((await runWith(calls, { roles }, { tools, turns: other }, host)).asked.length).toBeGreaterThan(1)
})
