import { defineSelector, definePlugin, defineSignal, defineStore, type PluginModule, RtrError, Type } from "rtr"
import { expect, test } from "vitest"
import { setUp, setUpNow } from "../../../ts/kernel/modules/set-up.ts"
import { createFakeKernel } from "../../fakes/kernel.ts"
import { documentWith } from "../../fakes/document.ts"

/** What a kernel says about a plugin whose setup throws this. */
async function refusal(thrown: unknown): Promise<{ readonly code: string; readonly message: string }> {
  const broken = definePlugin({
    about: "Fails",
    options: Type.Object({}),
    hooks: ["before"],
    setup() {
      throw thrown
    },
  })
  const config = documentWith({ "routing.decisions.0.plugins": [{ type: "broken", configuration: {} }] })
  const error: unknown = await createFakeKernel({
    config,
    modules: { broken: broken as unknown as PluginModule },
  }).catch((cause: unknown) => cause)
  return error as RtrError
}

test.each([
  [
    new TypeError("rates.json has no currency"),
    "invalid_module",
    /^Cannot set up plugin "broken" from createKernel: TypeError: rates\.json has no currency \(at .*set-up\.test\.ts:\d+:\d+\)$/,
  ],
  [
    new RtrError("invalid_config", "rates.json has no currency"),
    "invalid_config",
    /^Cannot set up plugin "broken" from createKernel: rates\.json has no currency$/,
  ],
  ["a text", "invalid_module", /^Cannot set up plugin "broken" from createKernel: a text$/],
])("what a setup throws names the module and keeps its message: %s", async (thrown, code, message) => {
  const error = await refusal(thrown)
  expect(error.code).toBe(code)
  expect(error.message).toMatch(message)
})

test("what a check throws, now or later, names the module and its place in the document", async () => {
  const fails = (): void => {
    throw new TypeError("foo is undefined")
  }
  const options = Type.Object({}, { additionalProperties: false })
  const modules = {
    "bad-signal": defineSignal({ about: "Fails", rule: options, check: fails, setup: () => ({ read: () => [] }) }),
    "late-signal": defineSignal({
      about: "Fails later",
      rule: options,
      check: async () => fails(),
      setup: () => ({ read: () => [] }),
    }),
    "bad-plugin": definePlugin({
      about: "Fails",
      options,
      hooks: ["end"],
      check: fails,
      setup: () => ({ open: () => ({ end: () => {} }) }),
    }),
    "bad-selector": defineSelector({
      about: "Fails",
      options,
      check: fails,
      setup: () => ({ select: () => ({ candidate: 0, confidence: 1, reason: "x" }) }),
    }),
    "bad-store": defineStore({
      about: "Fails",
      shapes: [],
      options,
      check: fails,
      setup: () => ({ close: () => {} }) as never,
    }),
  }
  const cases: readonly (readonly [kind: string, path: string, changes: Record<string, unknown>])[] = [
    ["signal bad", "routing.signals.bad_signal", { "routing.signals.bad_signal": [{ name: "a" }] }],
    ["signal late", "routing.signals.late_signal", { "routing.signals.late_signal": [{ name: "a" }] }],
    [
      "plugin bad",
      "routing.decisions.0.plugins.0.configuration",
      { "routing.decisions.0.plugins": [{ type: "bad_plugin", configuration: {} }] },
    ],
    [
      "selector bad",
      "routing.decisions.0.algorithm.bad_selector",
      { "routing.decisions.0.algorithm": { type: "bad_selector", bad_selector: {} } },
    ],
    [
      "store bad",
      "global.stores.state.configuration",
      { "global.stores": { state: { type: "bad_store", configuration: {} } } },
    ],
  ]
  for (const [words, path, changes] of cases) {
    const [kind = "", name = ""] = words.split(" ")
    const config = documentWith(changes)
    // Only the module that the document uses, so that no other one fails first.
    const id = `${name}-${kind}`
    const error: unknown = await createFakeKernel({
      config,
      modules: { [id]: (modules as Record<string, unknown>)[id] } as never,
    }).catch((cause: unknown) => cause)
    expect(error, words).toMatchObject({
      code: "invalid_module",
      path: path.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
      message: expect.stringMatching(
        new RegExp(
          `^Cannot check ${kind} "${name}_${kind}" from createKernel: TypeError: foo is undefined \\(at .*set-up\\.test\\.ts:\\d+:\\d+\\)$`,
        ),
      ),
    })
  }
})

test("a setup that does not return what requests need is refused", async () => {
  const needed = {
    signal: "read",
    selector: "select",
    looper: "run",
    plugin: "open",
    provider: "toRequest",
    store: "close",
  }
  for (const [kind, name] of Object.entries(needed)) {
    const module = { kind: kind as keyof typeof needed, id: "mine", source: "./mine.ts" }
    const refused = `Cannot set up ${kind} "mine" from ./mine.ts: its setup must return an object with the function ${name}`
    for (const made of [undefined, null, {}, { [name]: "x" }]) {
      await expect(setUp(module, async () => made)).rejects.toMatchObject({ code: "invalid_module", message: refused })
      expect(() => setUpNow(module, () => made)).toThrow(refused)
    }
    const made = { [name]: () => {} }
    expect(await setUp(module, () => made)).toBe(made)
  }
})
