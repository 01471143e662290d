import {
  defineLooper,
  definePlugin,
  defineSelector,
  defineSignal,
  defineStore,
  type Report,
  type RtrError,
  Type,
} from "rtr"
import { describe, expect, test, vi } from "vitest"
import { addLater, type LaterProblems } from "../../../ts/kernel/config/module-problems.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeKernel } from "../../fakes/kernel.ts"

type Check = (value: unknown, report: Report) => void | Promise<void>

/** A module of each kind that has this check, where the document uses it, and the place that is checked. */
const checkedModules = (check: Check) => {
  const options = Type.Object({}, { additionalProperties: false })
  return {
    signal: {
      module: defineSignal({ about: "Fails", rule: options, check, setup: () => ({ read: () => [] }) }),
      path: ["routing", "signals", "mine"],
      changes: { "routing.signals.mine": [{ name: "a" }] },
    },
    plugin: {
      module: definePlugin({
        about: "Fails",
        options,
        hooks: ["end"],
        check,
        setup: () => ({ open: () => ({ end: () => {} }) }),
      }),
      path: ["routing", "decisions", 0, "plugins", 0, "configuration"],
      changes: { "routing.decisions.0.plugins": [{ type: "mine", configuration: {} }] },
    },
    selector: {
      module: defineSelector({
        about: "Fails",
        options,
        check,
        setup: () => ({ select: () => ({ candidate: 0, confidence: 1, reason: "x" }) }),
      }),
      path: ["routing", "decisions", 0, "algorithm", "mine"],
      changes: { "routing.decisions.0.algorithm": { type: "mine", mine: {} } },
    },
    looper: {
      module: defineLooper({
        about: "Fails",
        options,
        check,
        setup: () => ({ run: () => Promise.reject(new Error("no answer")) }),
      }),
      path: ["routing", "decisions", 0, "algorithm", "mine"],
      changes: { "routing.decisions.0.algorithm": { type: "mine", mine: {} } },
    },
    store: {
      module: defineStore({ about: "Fails", shapes: [], options, check, setup: () => ({ close: () => {} }) as never }),
      path: ["global", "stores", "state", "configuration"],
      changes: { "global.stores": { state: { type: "mine", configuration: {} } } },
    },
  }
}

const kinds = ["signal", "plugin", "selector", "looper", "store"] as const

/** How a document is refused whose module of this kind has this check. */
function refusedBy(kind: (typeof kinds)[number], check: Check): Promise<RtrError> {
  const { module, changes } = checkedModules(check)[kind]
  // Only the module that the document uses, so that no other one fails first.
  return createFakeKernel({ config: documentWith(changes), modules: { mine: module } as never }).then(
    () => expect.unreachable(),
    (cause: unknown) => cause as RtrError,
  )
}

describe.each(kinds)("a check of a %s", (kind) => {
  const { path } = checkedModules(() => {})[kind]
  const soon = (): Promise<void> => new Promise((done) => setTimeout(done, 5))

  test.each([
    ["now", (): void => fail()],
    ["later", (): Promise<void> => soon().then(fail)],
  ])("that throws %s names the module and its place in the document", async (_, check) => {
    expect(await refusedBy(kind, check)).toMatchObject({
      code: "invalid_module",
      path,
      message: expect.stringMatching(
        new RegExp(
          `^Cannot check ${kind} "mine" from createKernel: TypeError: foo is undefined \\(at .*module-problems\\.test\\.ts:\\d+:\\d+\\)$`,
        ),
      ),
    })
  })

  test("may report later", async () => {
    const error = await refusedBy(kind, async (_, report) => {
      await soon()
      report([], "must be something else")
    })
    expect(error).toMatchObject({
      code: "invalid_config",
      problems: [expect.objectContaining({ path, message: "must be something else" })],
    })
  })

  test("that never ends is given up", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const begun = Promise.withResolvers<void>()
      const refused = refusedBy(kind, () => {
        begun.resolve()
        return new Promise<never>(() => {})
      })
      await begun.promise
      await vi.advanceTimersByTimeAsync(30_000)
      expect(await refused).toMatchObject({
        code: "invalid_module",
        path,
        message: `Cannot check ${kind} "mine" from createKernel: its check did not end within 30 seconds`,
      })
    } finally {
      vi.useRealTimers()
    }
  })
})

function fail(): never {
  throw new TypeError("foo is undefined")
}

test("a late check that fails while nobody waits for it yet ends no process", async () => {
  const later: LaterProblems = []
  addLater(later, Promise.reject(new TypeError("foo is undefined")))
  // A rejection that nobody hears fails the run.
  await new Promise((done) => setTimeout(done, 5))
  await expect(Promise.all(later)).rejects.toThrow("foo is undefined")
})
