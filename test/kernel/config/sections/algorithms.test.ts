import { defineLooper, defineSelector, Type } from "rtr"
import { signalInput } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { wrapDocument } from "../../../../ts/kernel/config/source-document.ts"
import { resolveDocument } from "../../../../ts/kernel/config/resolve.ts"
import { createRegistry } from "../../../../ts/kernel/modules/registry.ts"
import { canonical, documentWith, problemsOf } from "../../../fakes/document.ts"
import { registry as builtin } from "../../../fakes/registry.ts"
import { compileWith } from "../../../fakes/services.ts"

const choice = { candidate: 1, confidence: 1, reason: "odd" }
const options = Type.Object({ size: Type.Number() }, { additionalProperties: false })

const registryWith = (modules: Readonly<Record<string, object>>) =>
  createRegistry(
    [],
    [
      ...Object.entries(modules).map(([id, module]) => ({ id, module, source: "test" })),
      ...(["provider", "dialect"] as const).flatMap((kind) =>
        builtin.all(kind).map(({ id, module }) => ({ id, module, source: "test" })),
      ),
    ],
  )

const two = {
  "routing.signals": undefined,
  "routing.decisions.0.rules": {},
  "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
}

test("a selector gets its block, its decision, the candidates, the figures and what it needs", async () => {
  const seen: object[] = []
  const outcomes: unknown[] = []
  const odd = defineSelector({
    about: "odd",
    options,
    needs: ["random"],
    setup: (given, host) => {
      seen.push({ given, ...host, figures: host.figures("small"), random: host.random() })
      return { select: () => choice, onOutcome: (outcome) => void outcomes.push(outcome) }
    },
  })
  const registry = await registryWith({ odd })
  const modelRefs = [{ model: "small" }, { model: "large" }]
  const entry = { name: "d", rules: {}, modelRefs, algorithm: { type: "odd", odd: { size: 3 } } }
  const document = { ...canonical(two), routing: { decisions: [entry] } } as never
  const { plan } = await compileWith(document, { registry })
  const [decision] = plan.decisions
  expect(seen).toEqual([
    {
      given: { size: 3 },
      decision: "d",
      candidates: decision?.candidates,
      figures: { inFlight: 0, firstByteMs: [], perTokenMs: [] },
      settings: {},
      random: 0,
    },
  ])
  expect(decision).toMatchObject({ algorithm: "odd", looper: undefined })
  expect(await decision?.selector?.select(signalInput("x"), {} as never)).toEqual(choice)
})

test("a looper stands in the place of a selector, for one candidate too", async () => {
  const answer = { reply: {}, candidate: 0, reason: "asked" }
  const ask = defineLooper({
    about: "asks",
    options,
    setup: ({ size }) => ({ run: async () => ({ ...answer, size }) as never }),
  })
  const registry = await registryWith({ ask })
  const document = {
    ...canonical(two),
    routing: {
      decisions: [
        { name: "d", rules: {}, modelRefs: [{ model: "small" }], algorithm: { type: "ask", ask: { size: 2 } } },
      ],
    },
  } as never
  const [decision] = (await compileWith(document, { registry })).plan.decisions
  expect(decision).toMatchObject({ algorithm: "ask", selector: undefined })
  expect(await decision?.looper?.run({} as never)).toEqual({ reply: {}, candidate: 0, reason: "asked", size: 2 })
})

describe("a document", () => {
  const algorithm = (entry: object) => problemsOf(documentWith({ "routing.decisions.0.algorithm": entry }))
  const at = "routing.decisions[0].algorithm"

  test.each<[object, readonly string[]]>([
    [{ type: "confidence" }, []],
    [{ type: "confidence", confidence: { threshold: 0.5 } }, []],
    [
      { type: "static", confidence: {} },
      [`${at}.confidence: is not a known key; known keys: type, minimum_candidates, on_error`],
    ],
    [
      { type: "confidence", confidence: { thresold: 1 } },
      [`${at}.confidence.thresold: is not a known key (did you mean "threshold"?)`],
    ],
    [{ type: "fusion", fusion: {} }, []],
    [
      { type: "fusion", fusion: { grounding: { enabled: true } } },
      [expect.stringContaining("is not supported: rtr has no model")],
    ],
    [
      { type: "confidence", confidence: { hybrid_weights: {} } },
      [`${at}.confidence.hybrid_weights: belongs to confidence_method hybrid, not to avg_logprob`],
    ],
  ])("%j", (entry, problems) => expect(algorithm(entry)).toEqual(problems))

  test("says the block of options that must be there, and what a selector finds wrong with it", async () => {
    const odd = defineSelector({
      about: "odd",
      options,
      isDefault: true,
      check: ({ size }, report) => {
        if (size % 2 === 0) report(["size"], "must be odd")
      },
      setup: () => ({ select: () => choice }),
    })
    const registry = await registryWith({ odd })
    const problems = (entry: object | undefined): string => {
      const document = documentWith({ ...two, "routing.decisions.0.algorithm": entry })
      try {
        resolveDocument(wrapDocument(document), { source: "c", registry, environment: {} })
        return ""
      } catch (error) {
        return String((error as Error).message.split("\n")[1])
      }
    }
    expect([problems({ type: "odd" }), problems({ type: "odd", odd: { size: 2 } })]).toEqual([
      "  c routing.decisions[0].algorithm.odd: is missing",
      "  c routing.decisions[0].algorithm.odd.size: must be odd",
    ])
    expect(problems({ type: "odd", odd: { size: 1 } })).toBe("")
  })
})
