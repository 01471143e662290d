// Chooses the backend of each attempt of one model.

import type { ModelTarget, PlannedReliability, TargetBackend } from "../../../types/plan.ts"
import { type BackendHealth, createBackendHealth } from "./backend-health.ts"

export interface PooledBackend {
  readonly backend: TargetBackend
  /** Left out where backends are never ejected. */
  readonly health: BackendHealth | undefined
  /** Calls that have not ended, streams among them. */
  active: number
  /** Its turn: the earliest one is next. */
  turn: number
}

/** What an attempt avoids as long as there is something else. */
export interface Avoided {
  readonly tried: ReadonlySet<PooledBackend>
  /** Until when a backend has asked to be left alone. */
  readonly restingUntil: ReadonlyMap<PooledBackend, number>
}

export interface BackendPool {
  readonly all: readonly PooledBackend[]
  pick(avoided: Avoided): PooledBackend
  /** Every backend is out. */
  readonly isDown: () => boolean
}

export function createBackendPool(
  target: Pick<ModelTarget, "backends">,
  { ejection, leastRequest }: Pick<PlannedReliability, "ejection" | "leastRequest">,
  now: () => number,
): BackendPool {
  const most = ejection === undefined ? 0 : Math.floor(target.backends.length * ejection.maxShare)
  const out = (): number => all.filter(({ health }) => health !== undefined && health.until() > 0).length
  const mayEject = (): boolean => ejection !== undefined && ejection.maxShare > 0 && out() < Math.max(1, most)
  const all = target.backends.map((backend): PooledBackend => ({
    backend,
    health: ejection === undefined ? undefined : createBackendHealth(ejection, now, mayEject),
    active: 0,
    turn: 1 / backend.weight,
  }))
  /** The turn of the last pick: a backend that comes back does not catch up on what it missed. */
  let current = 0
  const isOut = ({ health }: PooledBackend): boolean => health?.state() === "out"
  const inTurn = (group: readonly PooledBackend[]): PooledBackend => best(group, ({ turn }) => -Math.max(turn, current))
  const choose = (group: readonly PooledBackend[]): PooledBackend => {
    if (!leastRequest) return inTurn(group)
    const freeness = ({ active, backend }: PooledBackend): number => backend.weight / (active + 1)
    const freest = Math.max(...group.map(freeness))
    return inTurn(group.filter((each) => freeness(each) === freest))
  }
  return {
    all,
    pick({ tried, restingUntil }) {
      const isResting = (each: PooledBackend): boolean => (restingUntil.get(each) ?? 0) > now()
      const working = all.filter((each) => !isOut(each))
      const awake = working.filter((each) => !isResting(each))
      const fresh = awake.filter((each) => !tried.has(each))
      // All are out: the one that comes back first is the least bad.
      const usable = [fresh, awake, working].find(({ length }) => length > 0) ?? [
        best(all, ({ health }) => -(health?.until() ?? 0)),
      ]
      const first = Math.min(...usable.map(({ backend }) => backend.priority))
      const chosen = choose(usable.filter(({ backend }) => backend.priority === first))
      const turn = Math.max(chosen.turn, current)
      current = turn
      chosen.turn = turn + 1 / chosen.backend.weight
      return chosen
    },
    isDown: () => all.every(isOut),
  }
}

function best<Item>(items: readonly Item[], scoreOf: (item: Item) => number): Item {
  return items.reduce((found, item) => (scoreOf(item) > scoreOf(found) ? item : found))
}
