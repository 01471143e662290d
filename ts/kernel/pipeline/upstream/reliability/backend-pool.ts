// Chooses the backend of each attempt of one model.

import type { ModelTarget, PlannedReliability, TargetBackend } from "../../../types/plan.ts"
import { type BackendHealth, createBackendHealth } from "./backend-health.ts"

export interface PooledBackend {
  readonly backend: TargetBackend
  /** Left out where backends are never ejected. */
  readonly health: BackendHealth | undefined
  /** Calls that have not ended, streams among them. */
  active: number
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
  }))
  const firstTurns = createTurns(all)
  /** A retry that took the turn of a healthy backend would make the failing one the first choice of the next request. */
  const furtherTurns = createTurns(all)
  const isOut = ({ health }: PooledBackend): boolean => health?.state() === "out"
  const choose = (group: readonly PooledBackend[], inTurn: Turns): PooledBackend => {
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
      const group = usable.filter(({ backend }) => backend.priority === first)
      return choose(group, tried.size === 0 ? firstTurns : furtherTurns)
    },
    isDown: () => all.every(isOut),
  }
}

/** Takes the backend of a group whose turn is next. */
type Turns = (group: readonly PooledBackend[]) => PooledBackend

/** Earliest deadline first: each pick moves a backend's deadline by 1/weight. */
function createTurns(all: readonly PooledBackend[]): Turns {
  const deadlines = new Map(all.map((each) => [each, 1 / each.backend.weight]))
  /** The deadline of the last pick: a backend that comes back does not catch up on what it missed. */
  let current = 0
  const deadlineOf = (each: PooledBackend): number => Math.max(deadlines.get(each) ?? 0, current)
  return (group) => {
    const chosen = best(group, (each) => -deadlineOf(each))
    current = deadlineOf(chosen)
    deadlines.set(chosen, current + 1 / chosen.backend.weight)
    return chosen
  }
}

function best<Item>(items: readonly Item[], scoreOf: (item: Item) => number): Item {
  return items.reduce((found, item) => (scoreOf(item) > scoreOf(found) ? item : found))
}
