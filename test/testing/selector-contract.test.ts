import { defineSelector, type SelectionOutcome } from "rtr"
import { selectorContract, selectorReaderOf } from "rtr/testing"
import { Type } from "typebox"
import { expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const choice = { candidate: 0, confidence: 1, reason: "the first" }
const good = { about: "takes the first", setup: () => ({ select: () => choice }) }
const failures = (changes: object): Promise<readonly string[]> =>
  failuresOf(selectorContract(defineSelector({ ...good, ...changes } as never)))
const selecting = (select: (input: { readonly text: string }) => unknown) => ({ setup: () => ({ select }) })

const says = "says what it does in one line"
const accepts = "accepts its sample options, refuses unknown keys and reports what cannot work"
const names = "always names a candidate, with a reason and a confidence"
const outcomes = "takes every outcome of a call, good or bad"
const stateless = "keeps no state of its own"
const writesNothing = "writes nothing for a preview"

test("a selector that keeps the contract passes", async () => {
  expect(await failures({})).toEqual([])
  expect(await failures({ setup: async () => ({ select: async () => choice }) })).toEqual([])
})

test("the last candidate is one too", async () => {
  const setup = (_: unknown, { candidates }: { candidates: readonly unknown[] }) => ({
    select: () => ({ ...choice, candidate: candidates.length - 1 }),
  })
  expect(await failures({ setup })).toEqual([])
})

test("a selector that remembers in a store passes", async () => {
  const failed = defineSelector({
    about: "leaves models that failed",
    needs: ["store.kv"],
    setup: (_, { kv, candidates }) => ({
      async select() {
        const counts = await Promise.all(candidates.map(async ({ model }) => Number((await kv.get(model))?.value ?? 0)))
        return { ...choice, candidate: counts.indexOf(Math.min(...counts)) }
      },
      onOutcome({ model, status }) {
        if (status >= 500) void kv.increment(model, 1)
      },
    }),
  })
  expect(await failuresOf(selectorContract(failed))).toEqual([])
})

test("a selector that writes for a preview breaks the contract", async () => {
  const turns = (counts: (isPreview: boolean) => boolean) =>
    defineSelector({
      about: "takes turns",
      needs: ["store.kv"],
      setup: (_, { kv, candidates }) => ({
        async select({ preview }) {
          const turn = counts(preview !== undefined)
            ? await kv.increment("turn", 1)
            : Number((await kv.get("turn"))?.value ?? 0) + 1
          return { ...choice, candidate: turn % candidates.length }
        },
      }),
    })
  expect(await failuresOf(selectorContract(turns(() => true)))).toEqual([writesNothing])
  expect(await failuresOf(selectorContract(turns((isPreview) => !isPreview)))).toEqual([])
})

test("a selector may count its choices in a store, and not in itself", async () => {
  const inStore = defineSelector({
    about: "takes turns",
    needs: ["store.kv"],
    setup: (_, { kv, candidates }) => ({
      select: async () => ({ ...choice, candidate: (await kv.increment("turn", 1)) % candidates.length }),
    }),
  })
  expect(await failuresOf(selectorContract(inStore))).toEqual([writesNothing])
  const setup = (_: unknown, { candidates }: { candidates: readonly unknown[] }) => {
    let turn = 0
    return { select: () => ({ ...choice, candidate: ++turn % candidates.length }) }
  }
  expect(await failures({ setup })).toEqual([stateless])
})

test.each<[string, object, readonly string[]]>([
  ["is of another kind", { kind: "plugin" }, [says]],
  ["does not say what it does", { about: "" }, [says]],
  ["says it in two lines", { about: "a\nb" }, [says]],
  ["takes any option", { options: Type.Object({}) }, [accepts]],
  ["names no candidate", selecting(() => ({ ...choice, candidate: -1 })), [names, outcomes]],
  ["names half a candidate", selecting(() => ({ ...choice, candidate: 0.5 })), [names, outcomes]],
  ["always names the third", selecting(() => ({ ...choice, candidate: 2 })), [names]],
  ["is surer than sure", selecting(() => ({ ...choice, confidence: 1.1 })), [names, outcomes]],
  ["has a confidence that is no number", selecting(() => ({ ...choice, confidence: Number.NaN })), [names, outcomes]],
  ["gives no reason", selecting(() => ({ ...choice, reason: "" })), [names, outcomes]],
  [
    "throws on an awkward text",
    selecting(({ text }) => {
      if (text === "") throw new Error("empty")
      return choice
    }),
    [names],
  ],
  [
    "changes its candidates",
    {
      setup: (_: unknown, { candidates }: { candidates: { score: number }[] }) => {
        for (const candidate of candidates) candidate.score = 0
        return { select: () => choice }
      },
    },
    [names, outcomes, stateless, writesNothing],
  ],
  [
    "needs a price of every candidate",
    {
      setup: (_: unknown, { candidates }: { candidates: { pricing: { promptPer1m: number } }[] }) => ({
        select: () => ({
          ...choice,
          confidence: candidates.map(({ pricing }) => pricing.promptPer1m).length > 0 ? 1 : 0,
        }),
      }),
    },
    [names, outcomes, stateless, writesNothing],
  ],
  [
    "cannot take a failed call",
    {
      setup: () => ({
        select: () => choice,
        onOutcome: ({ usage }: SelectionOutcome) => {
          if (usage === undefined) throw new Error("no usage")
        },
      }),
    },
    [outcomes, stateless],
  ],
  [
    "remembers outcomes itself",
    {
      setup: () => {
        let calls = 0
        return { select: () => ({ ...choice, candidate: calls > 0 ? 1 : 0 }), onOutcome: () => void (calls += 1) }
      },
    },
    [stateless],
  ],
])("is broken by a selector that %s", async (_, changes, failed) => expect(await failures(changes)).toEqual(failed))

test("check sees the candidates among which it chooses, and selectorReaderOf asks it", async () => {
  const seen: (readonly string[])[] = []
  const module = defineSelector({
    about: "spies",
    options: Type.Object({ a: Type.Optional(Type.Number()) }, { additionalProperties: false }),
    check: ({ a }, report, { modelRefs }) => {
      seen.push(modelRefs.map(({ model }) => model))
      if (a === 1) report(["a"], "is one")
    },
    setup: () => ({ select: () => choice }),
  })
  expect(await failuresOf(selectorContract(module, { invalidOptions: [{ a: 1 }] }))).toEqual([])
  expect(new Set(seen.map((models) => models.join()))).toEqual(new Set(["small,medium,large"]))
  await expect(selectorReaderOf(module, { options: { a: 1 } })).rejects.toThrow(
    "Expected the options to be valid, got a: is one",
  )
  await expect(selectorReaderOf(module, { options: { a: "x" } })).rejects.toThrow(
    "Expected the options to fit the schema",
  )
})

test("options are passed to setup", async () => {
  const seen: unknown[] = []
  const module = defineSelector({
    about: "spies",
    options: Type.Object({ a: Type.Number() }, { additionalProperties: false }),
    setup: (options) => {
      seen.push(options)
      return { select: () => choice }
    },
  })
  expect(await failuresOf(selectorContract(module, { options: { a: 1 } }))).toEqual([])
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.every((options) => (options as { a?: number }).a === 1)).toBe(true)
})
