import { expect, test } from "vitest"
import { createAttackTasks, riskInTurn } from "../../../../bench/accuracy/tasks/jailbreak.ts"

const { cascade, guard, jailbreak } = createAttackTasks()

const cardOf = (...names: readonly string[]) => ({
  heads: names.map((name) => ({ name, labels: ["benign", "jailbreak"], default_threshold: 0.5 })),
  model_sha256: "",
  limits: { truncate_tokens: 1 },
  golden: { status: "matched" },
})

test("a package with nothing but the head is a second guard, which is measured alone and behind a first", () => {
  const [shared, second] = [cardOf("domain", "jailbreak"), cardOf("jailbreak")]
  expect([jailbreak.isServedBy(shared), guard.isServedBy(shared), cascade.isServedBy(shared)]).toEqual([
    true,
    false,
    false,
  ])
  expect([jailbreak.isServedBy(second), guard.isServedBy(second)]).toEqual([false, true])
  // Nobody has asked a first one yet.
  expect(cascade.isServedBy(second)).toBe(false)
})

test.each([
  ["sure that a text is harmless", 0.05, 0.99, 0.05],
  ["sure that it is an attack", 0.97, 0.01, 0.01],
  ["unsure", 0.5, 0.99, 0.99],
])("where the first guard is %s, the risk that stands is one of the two", async (_, first, second, stands) => {
  expect(await riskInTurn(first, second)).toBe(stands)
})

test("a text that the first was not asked about cannot be measured", async () => {
  await expect(riskInTurn(undefined, 0.5)).rejects.toThrow(/first was not asked/)
})
