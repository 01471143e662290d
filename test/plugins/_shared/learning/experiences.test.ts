import { RtrError } from "rtr"
import { createFakeStores } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { createExperiences } from "../../../../ts/plugins/_shared/learning/experiences.ts"

const place = { decision: "d", tier: 0 }

function processes() {
  const time = { now: 1000 }
  const logged: string[] = []
  const clock = () => time.now
  const { kv } = createFakeStores(clock)
  return {
    time,
    kv,
    logged,
    start: () =>
      createExperiences({ clock, log: (_level, event, fields) => logged.push(`${event} ${JSON.stringify(fields)}`) }),
  }
}

describe("experience in a store", () => {
  test("is what all processes have added, whoever writes first", async () => {
    const { kv, start } = processes()
    const [one, other] = [start(), start()]
    await one.attach(kv)
    await other.attach(kv)
    one.noteVerdict(place, "m", "good_fit")
    one.noteVerdict(place, "m", "good_fit")
    other.noteVerdict(place, "m", "underpowered")
    other.noteTelemetry(place, "m", { failed: false, latency: 3 })
    await one.flush()
    await other.flush()
    expect(other.read(place, "m")).toMatchObject({ good: 2, underpowered: 1, latency: 3 })
    // Nothing is counted again.
    await other.flush()
    one.noteVerdict(place, "m", "good_fit")
    await one.flush()
    expect(one.read(place, "m")).toMatchObject({ good: 3, underpowered: 1, latency: 3 })
    await Promise.all([one, other].map((each) => each.flush()))
    expect(one.read(place, "m")?.good).toBe(3)
  })

  test("is there after a restart", async () => {
    const { kv, start } = processes()
    const before = start()
    await before.attach(kv)
    before.noteVerdict({ decision: "d", tier: 2 }, "m", "good_fit")
    await before.flush()
    const after = start()
    await after.attach(kv)
    expect(after.list()).toEqual([
      { tier: 0, model: "m", experience: expect.objectContaining({ good: 1 }) },
      { tier: 2, decision: "d", model: "m", experience: expect.objectContaining({ good: 1 }) },
      { tier: 2, model: "m", experience: expect.objectContaining({ good: 1 }) },
    ])
    await after.reset()
    expect([after.list(), await kv.keys()]).toEqual([[], []])
  })

  test("is that of the decision, otherwise that of its tier, otherwise that of the model", () => {
    const known = processes().start()
    known.noteVerdict({ decision: "d", tier: 2 }, "m", "good_fit")
    known.noteVerdict({ decision: "e", tier: 2 }, "m", "good_fit")
    known.noteVerdict({ decision: "f", tier: 1 }, "m", "good_fit")
    const goodOf = (decision: string, tier: number) => known.read({ decision, tier }, "m")?.good
    expect([goodOf("d", 2), goodOf("x", 2), goodOf("x", 5)]).toEqual([1, 2, 3])
    expect(known.read(place, "other")).toBeUndefined()
  })

  test("waits in memory while the store fails, which is told once", async () => {
    const { kv, start, logged } = processes()
    const broken = { down: true }
    const get = async (key: string) => {
      if (broken.down) throw new RtrError("unavailable", "the store is down")
      return kv.get(key)
    }
    const known = start()
    await known.attach({ ...kv, get })
    known.noteVerdict(place, "m", "good_fit")
    await known.flush()
    known.noteVerdict(place, "m", "good_fit")
    await known.flush()
    expect(known.read(place, "m")?.good).toBe(2)
    expect(logged).toEqual(['learning_state_unavailable {"what":"experience"}'])
    broken.down = false
    await known.flush()
    const after = start()
    await after.attach(kv)
    expect(after.read(place, "m")?.good).toBe(2)
  })

  test("is brought there once by two that come at the same time", async () => {
    const { kv, start } = processes()
    const known = start()
    const written = Promise.withResolvers<void>()
    let asked = 0
    await known.attach({
      ...kv,
      async get(key) {
        if (key.includes('"d"') && ++asked === 2) await written.promise
        return kv.get(key)
      },
      async compareAndSet(...change) {
        const version = await kv.compareAndSet(...change)
        written.resolve()
        // The other one may read it before this one knows that it is written.
        await new Promise((resolve) => setTimeout(resolve))
        return version
      },
    })
    known.noteVerdict(place, "m", "good_fit")
    const first = known.flush()
    known.noteVerdict(place, "m", "good_fit")
    await Promise.all([first, known.flush()])
    const after = start()
    await after.attach(kv)
    expect(after.read(place, "m")?.good).toBe(2)
  })

  test("gains what is said while the store is asked", async () => {
    const { kv, start } = processes()
    const known = start()
    const get = async (key: string) => {
      const found = await kv.get(key)
      // While one process waits, an outcome comes.
      if (key.includes('"d"')) known.noteVerdict(place, "m", "good_fit")
      return found
    }
    let slow = true
    await known.attach({ ...kv, get: (key) => (slow ? get(key) : kv.get(key)) })
    known.noteVerdict(place, "m", "good_fit")
    await known.flush()
    slow = false
    expect(known.read(place, "m")?.good).toBe(2)
    await known.flush()
    expect(known.read(place, "m")?.good).toBe(2)
    const after = start()
    await after.attach(kv)
    expect(after.read(place, "m")?.good).toBe(2)
  })

  test("of many decisions is read to the end", async () => {
    const { kv, start } = processes()
    const before = start()
    await before.attach(kv)
    for (let index = 0; index < 1100; index++) before.noteVerdict({ decision: `d${index}`, tier: 0 }, "m", "good_fit")
    await before.flush()
    const after = start()
    await after.attach(kv)
    expect(after.list()).toHaveLength(1101)
    await after.reset()
    expect(await kv.keys()).toEqual([])
  })

  test("has a bounded number of models", async () => {
    const { kv, start, time } = processes()
    const known = start()
    await known.attach(kv)
    for (let index = 0; index < 250; index++) {
      time.now += 1
      known.noteVerdict(place, `m${index}`, "good_fit")
    }
    await known.flush()
    const models = known.list().filter(({ decision }) => decision === "d")
    expect([models.length, models.some(({ model }) => model === "m0")]).toEqual([200, false])
  })
})
