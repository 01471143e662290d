// Nothing that a client writes holds the event loop for long: every built-in signal reads hostile texts.

import { createFakeInference } from "rtr/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { hostileTexts } from "../fakes/hostile-texts.ts"
import { chat, createFakeKernel, type FakeKernel } from "../fakes/kernel.ts"
import { longestGap } from "../fakes/longest-gap.ts"
import { everySignal } from "../fakes/every-signal.ts"

/** A loaded machine takes several times the 50 ms that are measured on a quiet one; at once, full-width letters take seconds. */
const boundMs = 1000

let kernel: FakeKernel

beforeAll(async () => {
  kernel = await createFakeKernel({ config: everySignal, inference: createFakeInference() })
  // The first request compiles patterns.
  for (const text of ["hello", "ｈｅｌｌｏ 1"]) await kernel.fetch(chat(text))
})
afterAll(() => kernel.close())

describe("the event loop is free while a request is read", () => {
  test.each(Object.entries(hostileTexts(250_000)))(
    "of %s",
    async (_, text) => {
      const request = chat(text)
      const { result, gapMs } = await longestGap(async () => kernel.fetch(request))
      // Half a character is refused before anything reads it.
      expect(result.status).toBe(text.isWellFormed() ? 200 : 400)
      await result.body?.cancel()
      expect(gapMs).toBeLessThan(boundMs)
    },
    60_000,
  )
})
