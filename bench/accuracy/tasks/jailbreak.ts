// Attempts to override instructions or to extract them: what the shared head says, what the second guard says, and both in turn.

import type { ModelCard } from "../../inference/worker.ts"
import { askInTurn } from "../../../ts/plugins/_shared/guards/second-guard.ts"
import type { Task } from "../task.ts"
import { sequenceTask } from "./sequence-task.ts"

const head = "jailbreak"
const shared = {
  head,
  labels: ["benign", head],
  positive: head,
  threshold: 0.7,
  readsWhole: true,
}

/** A package that has nothing else is a second guard. */
const isGuard = ({ heads }: ModelCard): boolean => heads.length === 1 && heads[0]?.name === head

export interface AttackTasks {
  readonly jailbreak: Task
  readonly guard: Task
  readonly cascade: Task
}

export function createAttackTasks(): AttackTasks {
  /** Risks that the shared head gave, by text: its package is measured before the second guard's. */
  const firstRisks = new Map<string, number>()
  return {
    jailbreak: sequenceTask({
      ...shared,
      title: "Attempt to override instructions",
      isServedBy: (card) => card.heads.some(({ name }) => name === head) && !isGuard(card),
      toRisk: async (text, risk) => {
        firstRisks.set(text, risk)
        return risk
      },
    }),
    guard: sequenceTask({
      ...shared,
      name: "guard",
      title: "Attempt to override instructions, second guard alone",
      isServedBy: isGuard,
    }),
    // As the router asks them where a document says nothing about it.
    cascade: sequenceTask({
      ...shared,
      name: "cascade",
      title: "Attempt to override instructions, second guard where the first is unsure",
      isServedBy: (card) => isGuard(card) && firstRisks.size > 0,
      toRisk: (text, risk) => riskInTurn(firstRisks.get(text), risk),
    }),
  }
}

/** The risk that stands, of a first guard's and a second's. */
export async function riskInTurn(first: number | undefined, second: number): Promise<number> {
  const asked = (risk: number | undefined) => async () => ({ risk, failure: undefined })
  const { risk } = await askInTurn({ first: asked(first), second: asked(second) })("")
  // The second alone would flatter the pair.
  if (risk === undefined)
    throw new Error("Cannot measure both guards in turn: the first was not asked about a text of the second's sets")
  return risk
}
