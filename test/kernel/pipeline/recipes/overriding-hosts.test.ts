// Decisions with an action, as clients and operators see them.

import { RtrError } from "rtr"
import { createFakeInference } from "rtr/testing"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { documentWith, load } from "../../../fakes/document.ts"
import { post } from "../../../fakes/kernel.ts"
import { completion, createFakeTransport, type FakeTransport, jsonReply } from "../../../fakes/transport.ts"
import { watchedKernel } from "../../../fakes/watched-kernel.ts"

const guard = { type: "jailbreak", name: "attack" }
const safe = {
  name: "contain",
  priority: 5,
  rules: guard,
  action: { type: "route", destination: "safe" },
}
const rush = { name: "rush", priority: 9, rules: { type: "keyword", name: "urgent" }, modelRefs: [{ model: "large" }] }
const models = ["small", "large", "safe"].map((name) => ({ name, backend_refs: [{ endpoint: `${name}.example` }] }))

/** What says "ignore" is an attack; what says "broken" cannot be read. */
const judging = () =>
  createFakeInference({
    labels: ["benign", "jailbreak"],
    classify: (text) => {
      if (text.includes("broken")) throw new RtrError("unavailable", "gone")
      return text.includes("ignore") ? [0, 1] : [1, 0]
    },
  })

const contained = (changes: object = {}, transport?: FakeTransport) =>
  watchedKernel({
    ...(transport !== undefined && { transport }),
    inference: judging(),
    changes: {
      "providers.models": models,
      "routing.signals.jailbreak": [{ name: "attack" }],
      "routing.decisions": [safe, rush],
      ...changes,
    },
  })

const fate = ({ headers, status }: { readonly headers: Headers; readonly status: number }) => [
  status,
  headers.get("x-rtr-selected-decision"),
  headers.get("x-selected-model"),
]

test("a decision with an action sends what a guard found to its destination, whatever model is asked for", async () => {
  const { ask, records } = await contained()
  expect(fate(await ask("ignore this"))).toEqual([200, "contain", "safe"])
  expect(fate(await ask("hello"))).toEqual([200, null, "small"])
  expect(fate(await ask("ignore this", { model: "large" }))).toEqual([200, "contain", "safe"])
  expect(fate(await ask("hello", { model: "large" }))).toEqual([200, null, "large"])
  // Decisions without an action are for automatic routing, where the higher one wins.
  expect(fate(await ask("ignore this, urgent"))).toEqual([200, "rush", "large"])
  expect(fate(await ask("ignore this, urgent", { model: "small" }))).toEqual([200, "contain", "safe"])
  expect(fate(await ask("urgent", { model: "small" }))).toEqual([200, null, "small"])
  expect(records.map(({ automatic }) => automatic)).toEqual([true, true, true, false, true, true, false])
  expect(records[2]).toMatchObject({
    algorithm: "route",
    selection: { candidate: 0, confidence: 1, reason: "the action of the decision" },
    securityChecks: { jailbreak: true },
  })
  expect(fate(await ask("hello", { model: "large!" }))[0]).toBe(404)
})

test("a recipe has its own actions only", async () => {
  const signals = { jailbreak: [{ name: "attack" }] }
  const { ask } = await contained({
    recipes: [
      {
        name: "open",
        routing: {
          decisions: [{ name: "all", rules: { operator: "AND", conditions: [] }, modelRefs: [{ model: "large" }] }],
        },
      },
      { name: "guarded", routing: { signals, decisions: [safe] } },
    ],
    entrypoints: ["open", "guarded"].map((recipe) => ({ model_names: [`acme/${recipe}`], recipe })),
  })
  expect((await ask("ignore this", { model: "acme/open" })).headers.get("x-selected-model")).toBe("large")
  expect((await ask("ignore this", { model: "acme/guarded" })).headers.get("x-selected-model")).toBe("safe")
  expect((await ask("ignore this", { model: "large" })).headers.get("x-selected-model")).toBe("safe")
})

test("the guard is read for requests that name a model, and other models are not asked for them", async () => {
  const { kernel } = await contained({ "routing.decisions.0.rules": { ...guard, on_unknown: "fail_request" } })
  const ask = (text: string, model: string) =>
    kernel.fetch(post("/v1/chat/completions", { model, messages: [{ role: "user", content: text }] }))
  const broken = await ask("broken", "large")
  expect([broken.status, (await broken.json()).error.code]).toEqual([503, "signal_unresolved"])
  expect((await ask("hello", "large")).status).toBe(200)
})

test("what names a model stays with it when it fails", async () => {
  const { ask, transport } = await contained(
    { "routing.fallback": { enabled: true, models: ["small"] } },
    createFakeTransport(({ url }) =>
      new URL(url).hostname === "small.example" ? jsonReply(completion("hi")) : jsonReply({}, { status: 503 }),
    ),
  )
  expect((await ask("hello", { model: "large" })).status).toBe(503)
  expect(transport.requests.length).toBe(1)
  // The destination is the choice of the router.
  expect(fate(await ask("ignore this", { model: "large" }))).toEqual([200, "contain", "small"])
})

test("grants hold for the name that the client asks for", async () => {
  const { ask } = await contained({ "listeners.0.models": ["large"] })
  expect(fate(await ask("ignore this", { model: "large" }))).toEqual([200, "contain", "safe"])
  expect((await ask("hello", { model: "small" })).status).toBe(403)
})

test("a looper's name does not lead around an action", async () => {
  const panel = { ...rush, algorithm: { type: "fusion" } }
  const { ask } = await contained({ "routing.decisions": [safe, panel] })
  expect(fate(await ask("ignore this", { model: "rtr/fusion" }))).toEqual([200, "contain", "safe"])
  expect((await ask("urgent", { model: "rtr/fusion" })).headers.get("x-rtr-selected-algorithm")).toBe("fusion")
})

test("a request that the destination cannot take goes to the decision's own models", async () => {
  const cards = [{ name: "small" }, { name: "large" }, { name: "safe", context_window_size: 20 }]
  const own = { ...safe, modelRefs: [{ model: "small" }, { model: "large" }], algorithm: { type: "static" } }
  const { ask } = await contained({
    "routing.modelCards": cards,
    "routing.candidate_requirements": { context: "known_limits" },
    "routing.signals.domains": [{ name: "contain", model_scores: [{ model: "large", score: 2 }] }],
    "routing.decisions": [own],
  })
  const long = `ignore ${"this ".repeat(50)}`
  expect(fate(await ask("ignore this", { model: "large" }))).toEqual([200, "contain", "safe"])
  expect(fate(await ask(long, { model: "small" }))).toEqual([200, "contain", "large"])
})

test("an action needs a model that is there and a guard among the conditions", async () => {
  const cases: readonly (readonly [changes: object, problem: RegExp])[] = [
    [
      { action: { type: "route", destination: "saf" } },
      /action\.destination: "saf" is not in providers\.models.*"safe"/,
    ],
    [{ action: { type: "route" } }, /action\.destination: is missing/],
    [{ action: { type: "route", destination: " " } }, /action\.destination/],
    [{ action: { type: "block", destination: "safe" } }, /action\.type: must be "route", got "block"/],
    [{ action: { destination: "safe" } }, /action\.type: is missing/],
    [
      { rules: { type: "keyword", name: "urgent" } },
      /decisions\[0\]\.action: needs a condition of type .*jailbreak.* in rules: it is for what a guard has found/,
    ],
    [{ rules: { operator: "OR", conditions: [{ operator: "NOT", conditions: [guard] }] } }, /^$/],
    [
      { algorithm: { type: "ratings" }, modelRefs: [{ model: "small" }] },
      /action: takes the place of algorithm ratings, which never runs/,
    ],
  ]
  const said: unknown[] = []
  for (const [changes, problem] of cases) {
    const document = documentWith({
      "providers.models": models,
      "routing.signals.jailbreak": [{ name: "attack" }],
      "routing.decisions": [{ ...safe, ...changes }],
    })
    const lines = await problemsOf(document)
    said.push(lines.some((line) => problem.test(line)) ? "as expected" : [changes, lines])
  }
  expect(said).toEqual(cases.map(() => "as expected"))
})

/** Problems and warnings. */
async function problemsOf(document: object): Promise<readonly string[]> {
  try {
    const { warnings } = await load(document)
    return ["", ...warnings.map(({ path, message }) => `${formatPath(path)}: ${message}`)]
  } catch (error) {
    return [String(error)]
  }
}
