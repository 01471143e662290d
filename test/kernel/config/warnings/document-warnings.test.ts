import { documentWarnings } from "rtr"
import { expect, test } from "vitest"
import { formatPath } from "../../../../ts/kernel/schema/problem.ts"
import { guarded, loaded, loadedWith } from "../../../fakes/loaded-guards.ts"
import { registry } from "../../../fakes/registry.ts"

test("a listener that lets clients name a model is told where guards are in use", () => {
  const used = { ...guarded, "routing.signals.jailbreak": [{ name: "attack" }] }
  const listener = (name: string, port: number, models?: readonly string[]) => ({
    name,
    address: "127.0.0.1",
    port,
    ...(models !== undefined && { models }),
  })
  const listeners = [listener("open", 1), listener("closed", 2, ["MoM"]), listener("both", 3, ["MoM", "large"])]
  const messagesOf = (changes: object) =>
    documentWarnings(loaded({ ...changes, listeners })).map(({ path, message }) => [path.join("."), message])
  expect(messagesOf({})).toEqual([])
  expect(messagesOf(used)).toEqual([
    [
      "listeners.0.models",
      expect.stringMatching(/^lets clients of "open" name any model, .* models: \[MoM\] forbids it$/),
    ],
    ["listeners.2.models", expect.stringMatching(/^lets clients of "both" name "large", /)],
  ])
  const teams = {
    recipes: [{ name: "support", routing: {} }],
    entrypoints: [{ model_names: ["acme/support"], recipe: "support" }],
  }
  const adviceFor = (changes: object): string | undefined =>
    documentWarnings(loadedWith({ ...used, ...changes }, teams))[0]?.message
  expect(adviceFor({})).toMatch(/; models: \[MoM, acme\/support\] forbids it$/)
  expect(adviceFor({ listeners: [listener("a", 1, ["auto", "large"])] })).toMatch(/; models: \[auto\] forbids it$/)
  const named = { ...used, "global.router.auto_model_name": "Mine" }
  expect(documentWarnings(loaded(named)).map(({ message }) => message)).toEqual([
    expect.stringMatching(/; models: \[Mine\] forbids it$/),
  ])
})

const warningsOf = (changes: Readonly<Record<string, unknown>>, recipes: object = {}): readonly string[] =>
  documentWarnings(loadedWith({ "listeners.0.models": ["MoM"], ...changes }, recipes)).map(
    ({ path, message }) => `${formatPath(path)}: ${message}`,
  )

test("a guard that no decision asks for is warned about", () => {
  const told = (path: string, type: string, name: string): string =>
    `${path}: stops nothing: no decision asks for it; write a decision with rules: { type: ${type}, name: ${name} }`
  expect(warningsOf(guarded)).toEqual([told("routing.signals.jailbreak[1]", "jailbreak", "unused")])
  const recipe = { name: "other", routing: { signals: { pii: [{ name: "mine" }] } } }
  expect(warningsOf({}, { recipes: [recipe] })).toEqual([told("recipes[0].routing.signals.pii[0]", "pii", "mine")])
  // One that reads replies is asked for by nobody.
  expect(warningsOf({ "routing.signals.jailbreak": [{ name: "said", direction: "response" }] })).toEqual([])
})

test("a guard that a plugin reads is asked for", () => {
  const plugins = [{ type: "fast_response", configuration: { message: "no" } }]
  const changes = { "routing.signals.pii": [{ name: "mine" }], "routing.decisions.0.plugins": plugins }
  const given = loaded({ "listeners.0.models": ["MoM"], ...changes })
  expect(documentWarnings(given)).toHaveLength(1)
  const found = registry.find("plugin", "fast_response") as NonNullable<ReturnType<typeof registry.find<"plugin">>>
  const reading = { ...found, module: { ...found.module, after: () => ["pii"] } }
  const ofReader = {
    ...registry,
    find: (kind: string, id: string) => (id === reading.id ? reading : registry.find(kind as never, id)),
  }
  expect(documentWarnings({ ...given, registry: ofReader as typeof registry })).toEqual([])
})
