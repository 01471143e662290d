// docs/loopers.md against the router: each decision of the page is served, and its answer is what the page says.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { completion, createFakeTransport, jsonReply } from "../fakes/transport.ts"
import { watchedKernel } from "../fakes/watched-kernel.ts"

interface Decision {
  readonly name: string
  readonly algorithm: { readonly type: string }
}

const page = readFileSync(join(import.meta.dirname, "../../docs/loopers.md"), "utf8")
const blocksOf = (kind: string): readonly string[] =>
  [...page.matchAll(/```(\w+ \w+)\n([^]*?)```/g)].flatMap(([, found, text = ""]) => (found === kind ? [text] : []))
const [document = ""] = blocksOf("yaml document")
const decisions = blocksOf("yaml decision").map((text) => parse(text) as Decision)
const base = parse(document) as { readonly routing: object }

/** Models that answer with their port and how often they were asked, sure of themselves but for the small one. */
function serve(decision: Decision, changes: object = {}) {
  const calls: string[] = []
  const transport = createFakeTransport(({ url, body }) => {
    const name = { 8001: "small", 8002: "medium", 8003: "large" }[new URL(url).port] ?? ""
    calls.push(name)
    const text = (body ?? "").includes("one letter") ? "B" : `${name} ${calls.length}`
    const logprob = name === "small" ? -2 : -0.1
    const logprobs = { content: [{ token: text, logprob, top_logprobs: [] }] }
    const message = { role: "assistant", content: text }
    return jsonReply(completion(text, { choices: [{ index: 0, message, logprobs, finish_reason: "stop" }] }))
  })
  const config = { ...base, ...changes, routing: { ...base.routing, decisions: [decision] } }
  return watchedKernel({ config, transport }).then((kernel) => ({ ...kernel, calls }))
}

const expected: Readonly<Record<string, readonly [answer: unknown, calls: readonly string[]]>> = {
  escalate: [["large 2"], ["small", "large"]],
  // 0.333 and 0.967: the small one is not sure enough, the medium one is.
  staged: [["medium 2"], ["small", "medium"]],
  arena: [
    ["small 1", "medium 2", "large 3"],
    ["small", "medium", "large"],
  ],
  // Weights of 2 and 1 give two of three calls to the first, and of two calls one each to the largest shares.
  deliberate: [["large 6"], ["large", "medium", "medium", "small", "small", "small"]],
  experts: [["large 4"], ["small", "medium", "large", "large"]],
  team: [["large 4"], ["small", "medium", "medium", "large"]],
  // One call of the second round is left of the budget; of the longest replies the latest is the answer.
  bounded: [["medium 4"], ["large", "medium", "medium", "small"]],
  letters: [["B"], ["large", "small", "small"]],
}

test("every decision of the page answers as it says", async () => {
  expect(decisions.map(({ name }) => name)).toEqual([
    "escalate",
    "staged",
    "arena",
    "deliberate",
    "experts",
    "team",
    "bounded",
    "letters",
  ])
  for (const decision of decisions) {
    const { ask, calls, records } = await serve(decision)
    const { status, body, headers } = await ask("plan this")
    const contents = body.choices?.map((choice: { message: { content: string } }) => choice.message.content)
    expect([decision.name, status]).toEqual([decision.name, 200])
    expect([headers.get("x-rtr-looper-algorithm"), headers.get("x-rtr-looper-iterations")]).toEqual([
      decision.algorithm.type,
      String(calls.length),
    ])
    expect(records[0]?.usage?.inputTokens).toBe(10 * calls.length)
    // The calls of a round of remom are shuffled.
    const order = decision.algorithm.type === "remom" ? calls.toSorted() : calls
    expect([decision.name, contents, order]).toEqual([decision.name, ...(expected[decision.name] ?? [])])
  }
})

test("a client chooses the panel as the page shows", async () => {
  const fusion = decisions.find(({ name }) => name === "experts")
  const { ask, calls, sent } = await serve(fusion as Decision)
  const { model: _, messages: __, ...body } = JSON.parse(blocksOf("json request")[0] ?? "{}") as Record<string, unknown>
  const reply = await ask("compare these", body)
  expect([reply.status, calls]).toEqual([200, ["small", "large", "medium", "medium"]])
  expect(reply.body.fusion).toMatchObject({ judge_model: "medium", analysis_models: ["small", "large"] })
  expect(reply.body.fusion.analysis).toBeUndefined()
  for (const request of sent()) expect(request).not.toHaveProperty("plugins")
})

test("a listener grants a looper by its name", async () => {
  const flow = decisions.find(({ name }) => name === "team") as Decision
  const { ask, kernel } = await serve(flow, {
    listeners: [{ name: "main", address: "127.0.0.1", port: 0, models: ["rtr/flow"] }],
  })
  expect((await ask("plan this", { model: "rtr/flow" })).status).toBe(200)
  expect((await ask("plan this", { model: "vllm-sr/flow" })).status).toBe(200)
  for (const model of ["MoM", "small"]) expect((await ask("plan this", { model })).status).toBe(403)
  const list = (await (await kernel.fetch(new Request("http://host/v1/models"))).json()) as { data: { id: string }[] }
  expect(list.data.map(({ id }) => id)).toEqual(["rtr/flow"])
  const main = await serve(flow, { listeners: [{ name: "main", address: "127.0.0.1", port: 0, models: ["MoM"] }] })
  expect((await main.ask("plan this", { model: "rtr/flow" })).status).toBe(403)
  const missing = serve(flow, { listeners: [{ name: "main", address: "127.0.0.1", port: 0, models: ["rtr/fusion"] }] })
  await expect(missing).rejects.toThrow('"rtr/fusion" is neither a name of automatic routing nor')
})

test("names of loopers reach their decisions alone", async () => {
  const flow = decisions.find(({ name }) => name === "team") as Decision
  const { ask, kernel } = await serve(flow)
  const list = (await (await kernel.fetch(new Request("http://host/v1/models"))).json()) as { data: { id: string }[] }
  const ids = list.data.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(["rtr/flow", "vllm-sr/flow"]))
  expect(ids).not.toContain("rtr/fusion")
  expect((await ask("plan this", { model: "rtr/flow" })).headers.get("x-rtr-selected-decision")).toBe("team")
  expect((await ask("hello", { model: "vllm-sr/flow" })).status).toBe(400)
  expect((await ask("plan this", { model: "rtr/fusion" })).status).toBe(404)
})
