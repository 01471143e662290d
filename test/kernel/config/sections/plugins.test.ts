import { definePlugin, Type } from "rtr"
import { describe, expect, test } from "vitest"
import { resolveDocument } from "../../../../ts/kernel/config/resolve.ts"
import { wrapDocument } from "../../../../ts/kernel/config/source-document.ts"
import { createRegistry } from "../../../../ts/kernel/modules/registry.ts"
import type { PlannedPlugin } from "../../../../ts/kernel/types/plan.ts"
import { canonical } from "../../../fakes/document.ts"
import { compileWith } from "../../../fakes/services.ts"

const note = {
  about: "notes",
  options: Type.Object({ a: Type.Optional(Type.Number()) }),
  hooks: ["before"] as const,
  answers: true,
  setup: () => ({ open: () => ({ before: () => undefined }) }),
}
const first = {
  id: "first",
  source: "test",
  module: { kind: "selector", about: "x", isDefault: true, setup: () => ({}) },
}

const document = {
  version: "v0.3",
  routing: { decisions: [{ name: "d", plugins: [{ type: "note", configuration: { a: 1 } }] }] },
}

const registryOf = (changes: object) =>
  createRegistry(
    [],
    [{ id: "note", source: "./note.ts", module: definePlugin({ ...note, ...changes } as never) }, first],
  )

async function planned(changes: object): Promise<PlannedPlugin | undefined> {
  const registry = await registryOf(changes)
  return (await compileWith(document as never, { registry })).plan.decisions[0]?.plugins[0]
}

test("plugins stand by their order, those of the same order as listed", async () => {
  const { plan } = await compileWith(
    canonical({
      "routing.decisions.0.plugins": [
        { type: "header_mutation", configuration: {} },
        { type: "system_prompt", configuration: { system_prompt: "x" } },
        { type: "fast_response", configuration: { message: "no" } },
        { type: "request_params", configuration: {} },
      ],
    }),
  )
  expect(plan.decisions[0]?.plugins.map(({ type, answers }) => [type, answers])).toEqual([
    ["fast_response", true],
    ["header_mutation", false],
    ["system_prompt", false],
    ["request_params", false],
  ])
})

test("a plugin is set up once, with its configuration, its decision and what it needs", async () => {
  const seen: unknown[] = []
  const plugin = await planned({
    needs: ["clock"],
    hooks: ["before", "after"],
    stream: "buffer",
    setup: async (options: unknown, host: { clock: () => number }) => {
      seen.push(options, { ...host, clock: host.clock() })
      return note.setup()
    },
  })
  expect(seen).toEqual([{ a: 1 }, { decision: "d", clock: 0 }])
  expect(plugin).toEqual({
    type: "note",
    readsEvents: true,
    buffersStream: true,
    answers: true,
    open: expect.any(Function),
  })
})

test("the events of a stream are read for a plugin that sees them, and for no other", async () => {
  const hook = () => undefined
  const reads = async (hooks: readonly string[]) =>
    (await planned({ hooks, setup: () => ({ open: () => Object.fromEntries(hooks.map((name) => [name, hook])) }) }))
      ?.readsEvents
  expect(await reads(["before", "end"])).toBe(false)
  expect(await reads(["event"])).toBe(true)
  expect(await reads(["around"])).toBe(true)
})

test("facts of a type that no signal has are warned of", async () => {
  const registry = await registryOf({ after: () => ["jailbrake"] })
  const { warnings } = await resolveDocument(wrapDocument(document), { source: "c.yaml", registry, environment: {} })
  expect(warnings).toEqual([
    {
      path: ["routing", "decisions", 0, "plugins", 0],
      code: "invalid",
      severity: "warning",
      message: 'plugin "note" reads facts of jailbrake, and no signal has that type; there are ',
    },
  ])
})

describe("hooks", () => {
  const before = () => undefined

  test("that nobody knows, and a setup without open, are refused", async () => {
    await expect(planned({ hooks: ["befor"] })).rejects.toThrow(
      'Cannot register module "note" from ./note.ts: there is no hook "befor"; there are before, around, event, after, end',
    )
    await expect(planned({ setup: () => ({ before }) })).rejects.toThrow(
      'Cannot set up plugin "note" from ./note.ts: its setup must return an object with the function open',
    )
  })

  test.each<[string, unknown, string]>([
    ["none", undefined, "its open returned no hooks"],
    [
      "one that is not declared",
      { before, after: before },
      "its open returned after, which its hooks do not declare (before)",
    ],
    ["fewer than declared", {}, "it declares the hook before, and its open did not return it"],
    ["one that is no function", { before: 5 }, "it declares the hook before, and its open did not return it"],
  ])("of a first call are compared with those declared: %s", async (_, hooks, reason) => {
    const plugin = await planned({ setup: () => ({ open: () => hooks }) })
    expect(() => plugin?.open({} as never)).toThrow(`Cannot use plugin "note" from ./note.ts: ${reason}`)
  })

  test("are compared on the first call only", async () => {
    let calls = 0
    const plugin = await planned({ setup: () => ({ open: () => (++calls === 1 ? { before } : {}) }) })
    expect([plugin?.open({} as never), plugin?.open({} as never)]).toEqual([{ before }, {}])
  })
})

describe("streams", () => {
  const problems = async (changes: object): Promise<string> => {
    const registry = await registryOf(changes)
    try {
      resolveDocument(wrapDocument(document), { source: "c.yaml", registry, environment: {} })
      return ""
    } catch (error) {
      return (error as Error).message
    }
  }

  test("a plugin that sees whole replies only must have them buffered", async () => {
    expect(await problems({ hooks: ["before", "after"] })).toBe(
      'Cannot use c.yaml: 1 problem\n  c.yaml routing.decisions[0].plugins[0]: plugin "note" sees whole replies only (after), so that a stream would pass it unseen; the plugin must have event as well, or say stream: "buffer"',
    )
  })

  test.each([{ hooks: ["after"], stream: "buffer" }, { hooks: ["after", "event"] }, { hooks: ["before"] }])(
    "%j is fine",
    async (changes) => expect(await problems(changes)).toBe(""),
  )
})
