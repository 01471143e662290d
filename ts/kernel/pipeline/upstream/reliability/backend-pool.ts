// Chooses the backend of each attempt of one model.

import type { ModelTarget, PlannedReliability, TargetBackend } from "../../../types/plan.ts"
import { type BackendHealth, createBackendHealth } from "./backend-health.ts"

export interface PooledBackend {
  readonly backend: TargetBackend
  /** Left out where backends are never ejected. */
  readonly health: BackendHealth | undefined
  /** Calls that have not ended, streams among them. */
  active: number
  /** Until when it has asked to be left alone. */
  restsUntil: number
}

export interface BackendPool {
  readonly all: readonly PooledBackend[]
  /** Avoids what one request has tried, as long as there is something else; nothing of that makes it a first choice. */
  pick(tried: ReadonlySet<PooledBackend>): PooledBackend
  /** How long until a backend neither is out nor rests; one that is out counts only where all are. */
  freeInMs(): number
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
    restsUntil: 0,
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
    pick(tried) {
      const working = all.filter((each) => !isOut(each))
      const awake = working.filter(({ restsUntil }) => restsUntil <= now())
      const isFresh = (each: PooledBackend): boolean => !tried.has(each)
      const fresh = awake.filter(isFresh)
      const usable = fresh.length > 0 ? fresh : awake
      // All rest, or all are out: the one that comes back first is the least bad.
      if (usable.length === 0 && working.length > 0)
        return best(working.some(isFresh) ? working.filter(isFresh) : working, ({ restsUntil }) => -restsUntil)
      if (usable.length === 0) return best(all, ({ health }) => -(health?.until() ?? 0))
      const first = Math.min(...usable.map(({ backend }) => backend.priority))
      const group = usable.filter(({ backend }) => backend.priority === first)
      return choose(group, tried.size === 0 ? firstTurns : furtherTurns)
    },
    freeInMs() {
      const working = all.filter((each) => !isOut(each))
      const rests = (working.length > 0 ? working : all).map(({ restsUntil }) => restsUntil - now())
      return Math.max(0, Math.min(...rests))
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
