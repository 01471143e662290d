import { expect, test } from "vitest"
import { loadDocument } from "../../../../ts/kernel/generations/prepare.ts"
import { ConfigError } from "../../../../ts/kernel/config/config-error.ts"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { learningOf } from "../../../../ts/plugins/_shared/learning/settings.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

const learning = "global.router.learning"
const adaptations = "routing.decisions.0.adaptations"

/** Warnings of a document with these changes, or why it is refused. */
async function said(changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  try {
    const { warnings } = await loadDocument(
      { environment: () => ({}), loadRegistry: async () => registry, missingParts: "tell" },
      { text: "", source: "config.yaml", value: documentWith(changes) },
    )
    return warnings.map(({ path, message }) => `warning ${formatPath(path)}: ${message}`)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ path, message }) => `error ${formatPath(path)}: ${message}`)
  }
}

test("every key is taken, and what has no effect is told", async () => {
  const whole = {
    enabled: true,
    adaptation: { enabled: true, candidate_set: "tier", strategy: "routing_sampling" },
    protection: {
      enabled: true,
      scope: "session",
      identity: { headers: { session: "x-session-id", conversation: "x-conversation-id" } },
      tuning: { idle_timeout_seconds: 300, min_turns_before_switch: 1, switch_margin: 0.05, stability_weight: 1 },
    },
    state_store: {
      backend: "redis",
      ttl_seconds: 86_400,
      timeout_ms: 50,
      redis: { address: "redis:6379", password: "p", database: 2, key_prefix: "vsr:router-session:v1:" },
    },
  }
  const own = {
    mode: "apply",
    adaptation: { mode: "observe", candidate_set: "global" },
    protection: { mode: "apply", stability_weight: 1.5, switch_margin: 0.11 },
  }
  expect(await said({ [learning]: whole, [adaptations]: own })).toEqual([])
  expect(await said({ [learning]: { enabled: false } })).toEqual([])
  expect(await said({ [learning]: { enabled: true, adaptation: null, protection: {} } })).toEqual([])
  expect(await said({ [adaptations]: own })).toEqual([
    "warning routing.decisions[0].adaptations: has no effect without global.router.learning.enabled: true",
  ])
  expect(await said({ [learning]: { state_store: { redis: { address: "a:1" } } } })).toEqual([
    'warning global.router.learning.state_store.redis: has no effect, because "backend" is not "redis"',
  ])
  expect(await said({ [learning]: { protection: { tuning: { progress_gate: {} } } } })).toEqual([
    expect.stringMatching(/^warning global\.router\.learning\.protection\.tuning\.progress_gate: .*no effect/),
  ])
})

test("keys that are not of the format are refused, and so are words and numbers", async () => {
  for (const [key, value, problem] of [
    [
      learning,
      { adaptations: { session_aware: {} } },
      "global.router.learning.adaptations: has moved to global.router.learning.adaptation",
    ],
    [learning, { adaptation: { strategy: "thompson" } }, "global.router.learning.adaptation.strategy: must be"],
    [learning, { protection: { tuning: { switch_margin: -1 } } }, "learning.protection.tuning.switch_margin: must be"],
    [learning, { state_store: { backend: "redis" } }, "state_store.redis.address: is missing; backend redis needs"],
    [
      learning,
      { state_store: { backend: "redis", redis: { address: "redis://a b" } } },
      "state_store.redis.address: must be host:port",
    ],
    [adaptations, { adaptation: { candidate_set: "cluster" } }, "adaptations.adaptation.candidate_set: must be"],
    [adaptations, { elo: {} }, "adaptations.elo: is not a known key"],
  ] as const)
    expect(await said({ [key]: value })).toContainEqual(
      expect.stringMatching(`^error .*${problem.replace(/\./g, "\\.")}`),
    )
})

test("a component does no more than its decision", async () => {
  const on = { [learning]: { enabled: true } }
  expect(await said({ ...on, [adaptations]: { mode: "observe", adaptation: { mode: "bypass" } } })).toEqual([])
  expect(await said({ ...on, [adaptations]: { mode: "bypass", protection: { mode: "observe" } } })).toEqual([
    'error routing.decisions[0].adaptations.protection.mode: "observe" does more than the mode of the decision, "bypass"',
  ])
  expect(await said({ ...on, [adaptations]: { mode: "observe", adaptation: { mode: "apply" } } })).toEqual([
    'error routing.decisions[0].adaptations.adaptation.mode: "apply" does more than the mode of the decision, "observe"',
  ])
})

test("a decision says more than the document, but for what the document switches off", () => {
  expect(learningOf({})).toEqual({
    adaptation: { mode: "apply", candidateSet: "decision" },
    protection: {
      mode: "apply",
      scope: "conversation",
      headers: { session: "x-session-id", conversation: "x-conversation-id" },
      idleMs: 300_000,
      minTurns: 1,
      switchMargin: 0.05,
      stabilityWeight: 1,
    },
  })
  const document = {
    adaptation: { enabled: false, candidate_set: "tier" },
    protection: { tuning: { switch_margin: 0.3, stability_weight: 2 } },
  } as const
  const decision = {
    mode: "observe",
    adaptation: { candidate_set: "global" },
    protection: { switch_margin: 0.1 },
  } as const
  expect(learningOf(document, decision)).toMatchObject({
    adaptation: { mode: "bypass", candidateSet: "global" },
    protection: { mode: "observe", switchMargin: 0.1, stabilityWeight: 2 },
  })
})
