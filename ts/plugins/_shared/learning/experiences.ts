// Experience of all models: read at once from memory, and brought together with that of other processes in a store.

import type { JsonValue, KeyValueStore, Log } from "../../../kernel/index.ts"
import {
  bounded,
  type Experience,
  faded,
  noExperience,
  type Telemetry,
  type Verdict,
  withTelemetry,
  withVerdict,
} from "./experience.ts"

/** Where a model was chosen. */
export interface Place {
  /** Key of the decision. */
  readonly decision: string
  readonly tier: number
}

export interface Experiences {
  /** That of the decision, otherwise of its tier, otherwise of the model anywhere; undefined where nothing is known. */
  read(place: Place, model: string): Experience | undefined
  noteVerdict(place: Place, model: string, verdict: Verdict): void
  noteTelemetry(place: Place, model: string, told: Telemetry): void
  /** Everything by place and model, as it is now. */
  list(): readonly ListedExperience[]
  /** Forgets everything, also in the store. */
  reset(): Promise<void>
  /** Takes over what a store has, and brings changes there from now on. A store that cannot be read changes nothing. */
  attach(kv: KeyValueStore): Promise<void>
  /** Brings changes to the store now. */
  flush(): Promise<void>
}

export interface ListedExperience {
  /** Left out for what holds for a whole tier, or for all. */
  readonly decision?: string
  readonly tier?: number
  readonly model: string
  readonly experience: Experience
}

interface Known {
  now: Experience
  /** What it was when it was last the same as in the store. */
  shared: Experience
}

/** Changes are brought to the store this much later, together. */
const flushMs = 1000
/** Attempts to write before the change waits for the next time. */
const attempts = 5
/** Models that are remembered in one place, and places: a document that has changed often leaves some behind. */
const mostModels = 200
const mostPlaces = 5000
/** What nobody has changed for so long is gone from the store. */
const ttlMs = 30 * 86_400_000

type Stored = Readonly<Record<string, Experience>>

export function createExperiences({ clock, log }: { readonly clock: () => number; readonly log: Log }): Experiences {
  const places = new Map<string, Map<string, Known>>()
  let changed = new Set<string>()
  let kv: KeyValueStore | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  /** One after the other: two at once would bring the same change twice. */
  let flushed = Promise.resolve()
  let isToldOf = false

  const note = (place: Place, model: string, change: (before: Experience) => Experience): void => {
    for (const key of keysOf(place)) {
      let models = places.get(key)
      if (models === undefined) {
        if (places.size >= mostPlaces) places.delete(places.keys().next().value as string)
        places.set(key, (models = new Map<string, Known>()))
      }
      const known = models.get(model) ?? { now: noExperience, shared: noExperience }
      known.now = change(known.now)
      models.set(model, known)
      if (models.size > mostModels) models.delete(oldestOf(models))
      changed.add(key)
    }
    if (kv !== undefined && timer === undefined) {
      timer = setTimeout(() => void flush(), flushMs)
      // Nobody waits for it but the process that would end.
      ;(timer as { unref?: () => void }).unref?.()
    }
  }
  const take = (key: string, stored: Stored): void => {
    const models = new Map<string, Known>()
    for (const [model, experience] of Object.entries(stored)) models.set(model, { now: experience, shared: experience })
    if (models.size > 0 && (places.size < mostPlaces || places.has(key))) places.set(key, models)
  }
  /** False where others were first each time. */
  const share = async (store: KeyValueStore, key: string): Promise<boolean> => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const models = places.get(key)
      if (models === undefined) return true
      const before = new Map([...models].map(([model, { now, shared }]) => [model, { now, shared }]))
      const found = await store.get(storeKey(key))
      const after = merged((found?.value ?? {}) as unknown as Stored, before, clock())
      const written = await store.compareAndSet(storeKey(key), found?.version, after as unknown as JsonValue, { ttlMs })
      if (written === undefined) continue
      for (const [model, experience] of Object.entries(after)) {
        const own = models.get(model)
        // What has changed while the store was asked is a change to what it has now.
        if (own === undefined || own.now === before.get(model)?.now)
          models.set(model, { now: experience, shared: experience })
        else own.shared = before.get(model)?.now ?? noExperience
      }
      return true
    }
    return false
  }
  const flush = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    return (flushed = flushed.then(bringChanges))
  }
  const bringChanges = async (): Promise<void> => {
    const store = kv
    if (store === undefined) return
    const keys = changed
    changed = new Set()
    for (const key of keys)
      try {
        if (!(await share(store, key))) changed.add(key)
        isToldOf = false
      } catch {
        changed.add(key)
        if (!isToldOf) log("warning", "learning_state_unavailable", { what: "experience" })
        isToldOf = true
      }
  }

  return {
    read({ decision, tier }, model) {
      for (const key of keysOf({ decision, tier })) {
        const known = places.get(key)?.get(model)
        if (known !== undefined) return faded(known.now, clock())
      }
      return undefined
    },
    noteVerdict: (place, model, verdict) => note(place, model, (before) => withVerdict(before, verdict, clock())),
    noteTelemetry: (place, model, told) => note(place, model, (before) => withTelemetry(before, told, clock())),
    list: () =>
      [...places].flatMap(([key, models]) =>
        [...models].map(([model, { now }]) => ({ ...placeOf(key), model, experience: faded(now, clock()) })),
      ),
    async reset() {
      places.clear()
      changed.clear()
      if (kv === undefined) return
      for (const key of await allKeys(kv)) await kv.delete(key)
    },
    async attach(store) {
      kv = store
      try {
        for (const key of await allKeys(store)) {
          const own = key.slice(storeKey("").length)
          // What this process knows already is newer than what it has written.
          if (!places.has(own)) take(own, ((await store.get(key))?.value ?? {}) as unknown as Stored)
        }
      } catch {
        log("warning", "learning_state_unavailable", { what: "experience" })
      }
    },
    flush,
  }
}

/** The decision, its tier and everything, the nearest first. */
function keysOf({ decision, tier }: Place): readonly string[] {
  const near = [JSON.stringify([tier, decision]), JSON.stringify([tier])]
  return tier === 0 ? near : [...near, JSON.stringify([0])]
}

const placeOf = (key: string): Pick<ListedExperience, "decision" | "tier"> => {
  const [tier, decision] = JSON.parse(key) as [number, string?]
  return { tier, ...(decision !== undefined && { decision }) }
}

/** A store tells a thousand keys at a time. */
async function allKeys(store: KeyValueStore): Promise<readonly string[]> {
  const all: string[] = []
  for (;;) {
    const after = all.at(-1)
    const page = await store.keys({ prefix: storeKey(""), ...(after !== undefined && { after }) })
    if (page.length === 0) return all
    all.push(...page)
  }
}

const storeKey = (key: string): string => `experience:${key}`

const oldestOf = (models: ReadonlyMap<string, Known>): string =>
  [...models].reduce((oldest, each) => (each[1].now.at < oldest[1].now.at ? each : oldest))[0]

/** What the store has, and what this process has added to what it had. Of averages the newer one counts. */
function merged(stored: Stored, own: ReadonlyMap<string, Known>, now: number): Stored {
  const models: Record<string, Experience> = { ...stored }
  for (const [model, known] of own) {
    const there = stored[model]
    if (there === undefined) {
      models[model] = known.now
      continue
    }
    const [base, before, after] = [faded(there, now), faded(known.shared, now), faded(known.now, now)]
    const added = (count: "good" | "underpowered" | "overprovisioned" | "failed"): number =>
      Math.max(0, base[count] + after[count] - before[count])
    models[model] = bounded({
      good: added("good"),
      underpowered: added("underpowered"),
      overprovisioned: added("overprovisioned"),
      failed: added("failed"),
      latency: after.latency ?? base.latency,
      cacheHit: after.cacheHit ?? base.cacheHit,
      inputCost: after.inputCost ?? base.inputCost,
      at: now,
    })
  }
  const entries = Object.entries(models)
  return entries.length <= mostModels
    ? models
    : Object.fromEntries(entries.toSorted(([, one], [, other]) => other.at - one.at).slice(0, mostModels))
}
