import { createFakeInference, routeContract } from "rtr/testing"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { seededRandom } from "../../../ts/plugins/_shared/learning/beta-sample.ts"
import route from "../../../ts/plugins/routes/outcomes.ts"
import { documentWith } from "../../fakes/document.ts"
import { chat, createFakeKernel, post } from "../../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply } from "../../fakes/transport.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const path = "/api/v1/observability/outcomes"
/** The one listener of the document. */
const listener = "main"

/** Two models behind one decision; what is drawn is seeded. */
async function learning(settings: object, changes: Readonly<Record<string, unknown>> = {}) {
  vi.spyOn(Math, "random").mockImplementation(seededRandom(11))
  onTestFinished(() => void vi.restoreAllMocks())
  const kernel = await createFakeKernel({
    config: documentWith({
      "global.router.learning": { enabled: true, ...settings },
      "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
      ...changes,
    }),
    transport: createFakeTransport(() => jsonReply(completion("hi"))),
    inference: createFakeInference({ labels: ["benign", "jailbreak"], classify: () => [0, 1] }),
  })
  onTestFinished(() => kernel.close())
  const ask = async (headers: Readonly<Record<string, string>> = {}, text = "urgent: x") => {
    const reply = await kernel.fetch(chat(text, {}, headers))
    await reply.text()
    return { model: reply.headers.get("x-rtr-selected-model"), id: reply.headers.get("x-request-id") ?? "" }
  }
  const tell = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
    const reply = await kernel.management.fetch(post(path, body, headers))
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }
  const preview = async (context: object = {}) => {
    const reply = await kernel.management.fetch(
      post("/api/v1/routing/preview", { text: "urgent: x", preview_context: context }),
    )
    return (await reply.json()) as Record<string, unknown>
  }
  return { kernel, ask, tell, preview }
}

describe("an outcome", () => {
  const onlyAdaptation = { protection: { enabled: false } }

  test("counts for the model that answered, and turns the choice", async () => {
    const { ask, tell, preview } = await learning(onlyAdaptation)
    // Each is tried out once, then what is known decides.
    expect([(await ask()).model, (await ask()).model].toSorted()).toEqual(["large", "small"])
    expect(await preview()).toMatchObject({ selected_model: "small", selection_reason: "the first candidate" })
    for (let count = 0; count < 4; count++) {
      const { id, model } = await ask()
      const verdict = model === "large" ? "good_fit" : "underpowered"
      expect(await tell({ replay_id: id, target: "model", verdict })).toEqual({
        status: 200,
        body: { success: true, updated: 1, recorded: true, timestamp: expect.stringMatching(/^\d{4}-.*Z$/) },
      })
    }
    expect(await preview()).toMatchObject({
      selected_model: "large",
      selection_reason: "the first candidate; adaptation chose another one: better_experience",
      selection_provenance: {
        state_dependent: true,
        sampled: false,
        base_model: "small",
        steps: [{ method: "adaptation", mode: "apply", action: "propose_switch", scope: "decision", model: "large" }],
      },
    })
  })

  test("is counted once for a key, and only for a model that answered", async () => {
    const { ask, tell } = await learning(onlyAdaptation)
    const { id, model } = await ask()
    const good = { replay_id: id, target: "model", verdict: "good_fit" }
    const key = { "idempotency-key": "k1" }
    expect((await tell(good, key)).body).toMatchObject({ updated: 1, recorded: true })
    expect((await tell(good, key)).body).toMatchObject({ updated: 0, recorded: false, duplicate: true })
    expect((await tell({ ...good, target_ref: model ?? "" })).status).toBe(200)
    expect((await tell({ ...good, target: "route" })).body).toMatchObject({ updated: 0, recorded: true })
    const refused = async (body: object, headers = {}) => {
      const reply = await tell(body, headers)
      const { code, message } = reply.body["error"] as { code: string; message: string }
      return `${reply.status} ${code}: ${message}`
    }
    const other = model === "large" ? "small" : "large"
    expect(await refused({ ...good, target_ref: other })).toBe(
      `409 OUTCOME_OWNERSHIP_MISMATCH: Request "${id}" was not answered by model "${other}"; it was ${model}`,
    )
    expect(await refused({ ...good, replay_id: "unknown" })).toMatch(
      /^404 REPLAY_NOT_FOUND: There is no request "unknown"/,
    )
    expect(await refused({ ...good, verdict: "fine" })).toBe(
      '400 INVALID_OUTCOME: verdict must be one of good_fit, underpowered, overprovisioned, failed, not "fine"',
    )
    expect(await refused({ ...good, target: "weather" })).toMatch(/^400 INVALID_OUTCOME: target must be one of/)
    expect(await refused({ ...good, score: 1.5 })).toMatch(/^400 INVALID_OUTCOME: score/)
    expect(await refused({ ...good, reason: "x".repeat(1025) })).toMatch(/^400 INVALID_OUTCOME: target_ref/)
    expect(await refused({ ...good, metadata: { k: "x".repeat(1025) } })).toMatch(/^400 INVALID_OUTCOME: metadata/)
    expect(await refused(good, { "idempotency-key": "k".repeat(257) })).toMatch(/^400 INVALID_IDEMPOTENCY_KEY/)
    expect(await refused({ target: "model", verdict: "good_fit" })).toMatch(/^400 INVALID_INPUT/)
  })

  test("finds the request of its client, whatever id another client sends", async () => {
    const { kernel, tell } = await learning(onlyAdaptation, {
      "listeners.0.api_keys": [
        { key: "secret-a", name: "a" },
        { key: "secret-b", name: "b" },
      ],
    })
    const askAs = async (key: string, id?: string) => {
      const headers = { authorization: `Bearer secret-${key}`, ...(id !== undefined && { "x-request-id": id }) }
      const reply = await kernel.fetch(chat("urgent: x", {}, headers))
      await reply.text()
      return { model: reply.headers.get("x-rtr-selected-model") ?? "", id: reply.headers.get("x-request-id") ?? "" }
    }
    const mine = await askAs("a")
    const outcome = { replay_id: mine.id, target: "model", verdict: "good_fit" }
    expect((await tell({ ...outcome, target_ref: mine.model })).body).toMatchObject({ updated: 1 })
    // The other client takes the id until the other model has answered it.
    let taken = await askAs("b", mine.id)
    for (let count = 0; count < 50 && taken.model === mine.model; count++) {
      await tell({ ...outcome, client: `${listener}/b`, verdict: "underpowered" })
      taken = await askAs("b", mine.id)
    }
    expect([taken.id, taken.model]).toEqual([mine.id, mine.model === "small" ? "large" : "small"])
    const [a, b] = ["a", "b"].map((key) => `${listener}/${key}`)
    expect(await tell(outcome)).toMatchObject({
      status: 409,
      body: {
        error: {
          code: "OUTCOME_CLIENT_AMBIGUOUS",
          message: `Several clients have sent a request "${mine.id}"; say whose it is with client, such as "${a}" or "${b}"`,
        },
      },
    })
    const about = (client: string | undefined, model: string) => tell({ ...outcome, client, target_ref: model })
    expect((await about(a, mine.model)).status).toBe(200)
    expect((await about(b, taken.model)).status).toBe(200)
    expect((await about(b, mine.model)).body).toMatchObject({ error: { code: "OUTCOME_OWNERSHIP_MISMATCH" } })
    for (const [client, id] of [
      [`${listener}/c`, mine.id],
      ["b", mine.id],
      [undefined, `${mine.id} ${listener}`],
    ])
      expect((await tell({ ...outcome, client, replay_id: id })).status).toBe(404)
  })

  test("of more than sixty a minute is refused, and without learning every one", async () => {
    const { ask, tell, kernel } = await learning(onlyAdaptation)
    const { id } = await ask()
    const wrongRoute = { replay_id: id, target: "route", verdict: "failed" }
    for (let count = 0; count < 60; count++) expect((await tell(wrongRoute)).status).toBe(200)
    expect(await tell(wrongRoute)).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } })
    await kernel.activate(documentWith({}))
    expect(await tell(wrongRoute)).toMatchObject({
      status: 503,
      body: { error: { code: "NO_ROUTER_LEARNING_RUNTIME" } },
    })
  })
})

describe("protection", () => {
  const onlyProtection = { adaptation: { enabled: false } }
  const headers = { "x-session-id": "s", "x-conversation-id": "c" }

  test("keeps the model of a conversation, by the headers that the document names", async () => {
    const { ask, kernel, preview } = await learning(onlyProtection)
    expect((await ask(headers)).model).toBe("small")
    const turned = documentWith({
      "global.router.learning": { enabled: true, ...onlyProtection },
      "routing.decisions.0.modelRefs": [{ model: "large" }, { model: "small" }],
    })
    await kernel.activate(turned)
    expect((await ask(headers)).model).toBe("small")
    expect((await ask({ ...headers, "x-conversation-id": "d" })).model).toBe("large")
    expect((await ask()).model).toBe("large")
    const context = { session_id: "s", conversation_id: "c" }
    const step = { method: "protection", action: "stay", reason: "gain_unknown", scope: "conversation", model: "small" }
    expect(await preview(context)).toMatchObject({
      selected_model: "small",
      selection_provenance: { base_model: "large", sampled: false, steps: [step] },
    })
    expect(await preview()).toMatchObject({
      selected_model: "large",
      selection_provenance: { steps: [{ action: "none", reason: "missing_identity" }] },
    })
  })

  test("previews change nothing", async () => {
    const { ask, preview } = await learning(onlyProtection)
    const context = { session_id: "s", conversation_id: "c" }
    const first = await preview(context)
    expect(first).toMatchObject({ selection_provenance: { steps: [{ action: "establish_baseline" }] } })
    expect(await preview(context)).toEqual({ ...first, metrics: expect.anything() })
    await ask(headers)
    expect(await preview(context)).toMatchObject({ selection_provenance: { steps: [{ action: "stay" }] } })
  })
})

test("a preview draws with the seed that it brings, and repeats it", async () => {
  const { preview } = await learning({ protection: { enabled: false } })
  const drawn = async (seed: number) =>
    (await preview({ sampling_seed: seed }))["selection_provenance"] as { steps: [{ scores: object }] }
  const first = await drawn(73)
  expect(first).toMatchObject({ sampled: true, sampling_seed: 73 })
  expect(await drawn(73)).toEqual(first)
  expect((await drawn(74)).steps[0].scores).not.toEqual(first.steps[0].scores)
})

test("a decision that bypasses learning keeps its algorithm, and one that observes tells only", async () => {
  const adaptations = "routing.decisions.0.adaptations"
  const cold = { protection: { enabled: false } }
  const bypassed = await learning(cold, { [adaptations]: { mode: "bypass" } })
  expect([(await bypassed.ask()).model, (await bypassed.ask()).model]).toEqual(["small", "small"])
  const observed = await learning(cold, { [adaptations]: { mode: "observe" } })
  expect([(await observed.ask()).model, (await observed.ask()).model]).toEqual(["small", "small"])
  expect(await observed.preview()).toMatchObject({
    selected_model: "small",
    selection_provenance: { steps: [{ mode: "observe", action: "observe" }] },
  })
})

test("a wider set has the models of other decisions", async () => {
  const { preview } = await learning(
    { adaptation: { candidate_set: "global" }, protection: { enabled: false } },
    {
      "routing.decisions.0.modelRefs": [{ model: "small" }],
      "routing.decisions.1": {
        name: "rest",
        rules: { operator: "NOT", conditions: [{ type: "keyword", name: "urgent" }] },
        modelRefs: [{ model: "large" }],
      },
    },
  )
  expect(await preview()).toMatchObject({ recommended_models: ["small", "large"], selected_model: "small" })
  // Nothing is known of the other one, so that a request would try it.
  expect(await preview({ sampling_seed: 1 })).toMatchObject({
    selection_provenance: {
      steps: [{ scope: "global", scores: { small: expect.any(Number), large: expect.any(Number) } }],
    },
  })
})

test("candidates that cannot take a request are no candidates of learning", async () => {
  const { ask, preview } = await learning(
    { protection: { enabled: false } },
    {
      "routing.candidate_requirements": { context: "known_limits" },
      "routing.modelCards": [{ name: "small", context_window_size: 200 }],
    },
  )
  const long = `urgent: ${"many words ".repeat(400)}`
  // Both would be tried, if the small one could take it.
  expect([(await ask({}, long)).model, (await ask({}, long)).model]).toEqual(["large", "large"])
  expect((await ask()).model).toBe("small")
  expect(await preview({ sampling_seed: 1 })).toMatchObject({
    selection_provenance: { steps: [{ scores: { small: expect.any(Number), large: expect.any(Number) } }] },
  })
})

test("what an action says is not for learning", async () => {
  const { ask } = await learning(
    { protection: { enabled: false } },
    {
      "routing.signals.jailbreak": [{ name: "attack" }],
      "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
      "routing.decisions.0.action": { type: "route", destination: "large" },
    },
  )
  expect([(await ask()).model, (await ask()).model]).toEqual(["large", "large"])
})

test("a recipe learns for itself, and bypasses learning where its decision says so", async () => {
  const rules = { operator: "AND", conditions: [] }
  const modelRefs = [{ model: "small" }, { model: "large" }]
  const profile = (adaptations?: object) => ({
    decisions: [{ name: "all", rules, modelRefs, ...(adaptations && { adaptations }) }],
  })
  const { kernel, tell } = await learning(
    {},
    {
      recipes: [
        { name: "open", routing: profile() },
        { name: "closed", routing: profile({ mode: "bypass" }) },
      ],
      entrypoints: ["open", "closed"].map((recipe) => ({ model_names: [`acme/${recipe}`], recipe })),
    },
  )
  const ask = async (model: string) => {
    const { headers } = await kernel.fetch(chat("x", { model }, { "x-conversation-id": model }))
    return { model: headers.get("x-rtr-selected-model"), id: headers.get("x-request-id") }
  }
  const { id, model: tried } = await ask("acme/open")
  expect(await tell({ replay_id: id, target: "model", verdict: "underpowered" })).toMatchObject({ status: 200 })
  const later = async (model: string) => (await kernel.fetch(chat("x", { model }))).headers.get("x-rtr-selected-model")
  const better = tried === "large" ? "small" : "large"
  expect([await later("acme/open"), await later("acme/closed")]).toEqual([better, "small"])
})
