import { defineSelector } from "rtr"
import { selectorContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const choice = { candidate: 0, confidence: 1, reason: "the first" }
const good = { about: "takes the first", setup: () => () => choice }
const failures = (changes: object): Promise<readonly string[]> =>
  failuresOf(selectorContract(defineSelector({ ...good, ...changes } as never)))

const says = "says what it does in one line"
const names = "always names a candidate, with a reason and a confidence"

test("a selector that keeps the contract passes", async () => {
  expect(await failures({})).toEqual([])
  expect(await failures({ setup: async () => async () => choice })).toEqual([])
})

test("the last candidate is one too", async () => {
  const setup =
    (_: unknown, { candidates }: { candidates: readonly unknown[] }) =>
    () => ({ ...choice, candidate: candidates.length - 1 })
  expect(await failures({ setup })).toEqual([])
})

describe("is broken by a selector", () => {
  test.each<[string, object, readonly string[]]>([
    ["that is of another kind", { kind: "plugin" }, [says]],
    ["that does not say what it does", { about: "" }, [says]],
    ["that says it in two lines", { about: "a\nb" }, [says]],
    ["that names no candidate", { setup: () => () => ({ ...choice, candidate: -1 }) }, [names]],
    ["that names half a candidate", { setup: () => () => ({ ...choice, candidate: 0.5 }) }, [names]],
    ["that always names the third of two", { setup: () => () => ({ ...choice, candidate: 2 }) }, [names]],
    ["with a confidence above 1", { setup: () => () => ({ ...choice, confidence: 1.1 }) }, [names]],
    ["with a negative confidence", { setup: () => () => ({ ...choice, confidence: -1 }) }, [names]],
    ["with a confidence that is no number", { setup: () => () => ({ ...choice, confidence: Number.NaN }) }, [names]],
    ["without a reason", { setup: () => () => ({ ...choice, reason: "" }) }, [names]],
    [
      "that throws on an awkward text",
      {
        setup:
          () =>
          ({ text }: { text: string }) => {
            if (text === "") throw new Error("empty")
            return choice
          },
      },
      [names],
    ],
    [
      "that changes its candidates",
      {
        setup: (_: unknown, { candidates }: { candidates: { score: number }[] }) => {
          for (const candidate of candidates) candidate.score = 0
          return () => choice
        },
      },
      [names],
    ],
  ])("%s", async (_, changes, failed) => expect(await failures(changes)).toEqual(failed))
})

test("options are passed to setup", async () => {
  const seen: unknown[] = []
  const module = defineSelector({
    about: "spies",
    setup: (options) => {
      seen.push(options)
      return () => choice
    },
  })
  await failuresOf(selectorContract(module, { options: { a: 1 } }))
  expect(seen).toEqual([{ a: 1 }, { a: 1 }])
})
