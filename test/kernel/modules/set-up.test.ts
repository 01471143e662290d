import { definePlugin, type PluginModule, RtrError, Type } from "rtr"
import { expect, test, vi } from "vitest"
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

test("a setup that never ends is given up, unless the module is built in", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    const never = (): Promise<never> => new Promise(() => {})
    const refused = setUp({ kind: "plugin", id: "endless", source: "./endless.ts" }, never).catch(
      (error: unknown) => error,
    )
    const builtIn = vi.fn<() => void>()
    setUp({ kind: "plugin", id: "patient", source: "builtin" }, never).then(builtIn, builtIn)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await refused).toMatchObject({
      code: "invalid_module",
      message:
        'Cannot set up plugin "endless" from ./endless.ts: its setup did not end within 60 seconds; it must return first and do longer work afterwards',
    })
    expect(builtIn).not.toHaveBeenCalled()
  } finally {
    vi.useRealTimers()
  }
})
