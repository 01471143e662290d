import { RtrError } from "rtr"
import { describe, expect, test } from "vitest"
import type { Measure, Reading } from "../../../../ts/plugins/_shared/guards/reading.ts"
import { askInTurn, checkSecondGuard, secondModel } from "../../../../ts/plugins/_shared/guards/second-guard.ts"

const reading = (risk: number | undefined, failure?: unknown): Reading => ({ risk, failure })
const late = new RtrError("deadline_exceeded", "late")

/** What comes of it, and who was asked. */
async function ask(
  first: Reading | Error,
  second: Reading | Error,
  said?: Parameters<typeof askInTurn>[1],
): Promise<readonly [Reading | "rejected", string]> {
  const asked: string[] = []
  const answering =
    (name: string, answer: Reading | Error): Measure =>
    async () => {
      asked.push(name)
      if (answer instanceof Error) throw answer
      return answer
    }
  const measure = askInTurn({ first: answering("first", first), second: answering("second", second) }, said)
  const result = await measure("text").catch(() => "rejected" as const)
  return [result, asked.join()]
}

describe("a second guard", () => {
  test("is asked where the first is unsure, and its risk stands", async () => {
    const risks = [0.07, 0.08, 0.5, 0.9, 1]
    const found = await Promise.all(risks.map((risk) => ask(reading(risk), reading(0.4))))
    expect(found.map(([, asked]) => asked)).toEqual(["first", ...Array(4).fill("first,second")])
    expect(found.map(([result]) => (result as Reading).risk)).toEqual([0.07, 0.4, 0.4, 0.4, 0.4])
    expect(await ask(reading(0.95), reading(0.4), { to: 0.9 })).toEqual([reading(0.95), "first"])
    const narrow = { from: 0.4, to: 0.6 }
    expect((await ask(reading(0.3), reading(0.9), narrow))[1]).toBe("first")
    expect((await ask(reading(0.5), reading(0.9), narrow))[0]).toEqual(reading(0.9))
  })

  test("reads the parts of a long text that the first is unsure of, neighbours together", async () => {
    const parts = [
      { start: 0, end: 10, risk: 0.05 },
      { start: 8, end: 20, risk: 0.3 },
      { start: 15, end: 30, risk: 0.5 },
      { start: 28, end: 40, risk: 0.05 },
      { start: 50, end: 60, risk: 0.25 },
    ]
    const text = "0123456789".repeat(6)
    const read: string[] = []
    const second: Measure = async (part) => {
      read.push(part)
      return reading(part.length > 10 ? 0.8 : 0.1)
    }
    const measure = askInTurn({ first: async () => ({ ...reading(0.5), parts }), second })
    const judged = [
      { start: 8, end: 30, risk: 0.8 },
      { start: 50, end: 60, risk: 0.1 },
    ]
    expect(await measure(text)).toEqual({ ...reading(0.8), parts: judged })
    expect(read).toEqual([text.slice(8, 30), text.slice(50, 60)])
    const failing: Measure = async (part) => (part.length > 10 ? Promise.reject(late) : reading(0.1))
    expect(await askInTurn({ first: async () => ({ ...reading(0.5), parts }), second: failing })(text)).toMatchObject(
      reading(0.5, late),
    )
  })

  test("judges every text alone, or none", async () => {
    expect(await ask(reading(0.1), reading(0.8), { when: "always" })).toEqual([reading(0.8), "second"])
    expect(await ask(reading(0.5), reading(0.8), { when: "never" })).toEqual([reading(0.5), "first"])
  })

  test("that fails leaves what the first found, and that not all was read", async () => {
    expect(await ask(reading(0.8), late)).toEqual([reading(0.8, late), "first,second"])
    expect(await ask(reading(0.3), reading(0.1, late))).toEqual([reading(0.1, late), "first,second"])
    expect(await ask(reading(0.3, late), reading(0.1))).toEqual([reading(0.1, late), "first,second"])
    expect((await ask(reading(0.3), late, { when: "always" }))[0]).toBe("rejected")
    expect(await ask(late, reading(0.1))).toEqual(["rejected", "first"])
  })
})

const guardOf = (prompt_guard: object, bindings: object = {}) => ({
  global: { model_catalog: { modules: { prompt_guard }, bindings } },
})

test("it is asked where the document says so, and with a first guard of the product", () => {
  const asked = (...given: Parameters<typeof guardOf>) => secondModel.isAsked(guardOf(...given))
  const bound = { prompt_guard_second: { deployment: "mine" } }
  expect(asked({ second: {} })).toBe(true)
  expect(asked({}, bound)).toBe(true)
  expect(asked({ second: { when: "never" } }, bound)).toBe(false)
  expect(asked({}, { prompt_guard: { deployment: "mine" } })).toBe(false)
  expect(asked({ backend: { protocol: "http_classify", model: "theirs" } })).toBe(false)
})

test("keys that cannot be are reported", () => {
  const problemsOf = (second: object, bindings: object = { prompt_guard_second: {} }): readonly string[] => {
    const found: string[] = []
    checkSecondGuard(guardOf({ second }, bindings), (path, message, level) =>
      found.push(`${level ?? "error"} ${path.slice(3).join(".")} ${message}`),
    )
    return found
  }
  expect(problemsOf({ when: "unsure", from: 0.1, to: 0.2 })).toEqual([])
  expect(problemsOf({ from: 0.5, to: 0.4 })).toEqual([
    "error second.from is 0.5 and to is 0.4: no risk lies between them",
  ])
  expect(problemsOf({ when: "always", from: 0.5 })).toEqual(["warning second.from has no effect with when: always"])
})
