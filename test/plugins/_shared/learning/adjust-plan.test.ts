import { type OpenStore, type RouteHost, RtrError } from "rtr"
import { createFakeStores } from "rtr/testing"
import { expect, test } from "vitest"
import { adjustPlan, openLearning } from "../../../../ts/plugins/_shared/learning/adjust-plan.ts"
import { createCandidate, createDecision, createPlan } from "../../../fakes/plan.ts"

const redis = { backend: "redis", redis: { address: "redis:6379", database: 2, key_prefix: "vsr:", password: "p" } }

function host(settings: object, openStore: RouteHost["openStore"]) {
  const logged: unknown[] = []
  const log = (...line: readonly unknown[]) => void logged.push(line)
  const share = async <Value>(_name: string, make: () => Value) => make()
  return { logged, host: { settings, openStore, share, clock: () => 0, log } as RouteHost }
}

test("the store of the document is opened, and one that cannot be reached is done without", async () => {
  const asked: unknown[] = []
  const open = host({ enabled: true, state_store: redis }, async (...args) => {
    asked.push(args)
    return { kv: () => createFakeStores().kv, close: async () => {} } as OpenStore
  })
  expect((await openLearning(open.host))?.values).toBeTypeOf("function")
  expect(asked).toEqual([
    ["redis", { url: "redis://redis:6379/2", password: "p", prefix: "vsr:", max_entries: 100_000 }],
  ])
  const away = host({ enabled: true, state_store: redis }, async () => {
    throw new RtrError("unavailable", "refused")
  })
  expect((await openLearning(away.host))?.values).toBeUndefined()
  expect(away.logged).toEqual([["warning", "learning_state_unavailable", { what: "store" }]])
})

test("nothing is opened where nothing is learnt", async () => {
  const never = async (): Promise<OpenStore> => expect.fail("it opens a store")
  for (const settings of [
    {},
    { enabled: false },
    { enabled: true, adaptation: { enabled: false }, protection: { enabled: false } },
  ])
    expect(await openLearning(host({ ...settings, state_store: redis }, never).host)).toBeUndefined()
})

test("candidates of a tier are those of its decisions, each once, and loopers keep theirs", async () => {
  const { host: route } = host({ enabled: true, adaptation: { candidate_set: "tier" } }, async () =>
    expect.fail("no store"),
  )
  const named = (...models: readonly string[]) => models.map((model) => createCandidate(model))
  const plan = createPlan({
    decisions: [
      createDecision("one", { tier: 1, candidates: named("a", "b") }),
      createDecision("other", { tier: 1, candidates: named("c", "a") }),
      createDecision("high", { tier: 2, candidates: named("d") }),
      createDecision("none", { tier: 0, candidates: named("e") }),
      createDecision("empty", { candidates: [] }),
    ],
  })
  const { kv } = createFakeStores()
  const options = { document: {}, kv: () => kv, clock: () => 0, random: () => 0.5, log: () => {} }
  const adjusted = await adjustPlan(plan, { ...options, opened: await openLearning(route) })
  expect(adjusted.plan.decisions.map(({ candidates }) => candidates.map(({ model }) => model).join())).toEqual([
    "a,b,c",
    "c,a,b",
    "d",
    "e",
    "",
  ])
  expect(adjusted.plan.decisions[4]).toBe(plan.decisions[4])
  await adjusted.close()
})
