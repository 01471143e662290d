import { loadDocument } from "../../../ts/kernel/generations/prepare.ts"
import { ConfigError } from "../../../ts/kernel/config/config-error.ts"
import {
  defineRoute,
  defineSelector,
  defineSignal,
  defineStore,
  type KeyValueStore,
  operation,
  type RuleOf,
  section,
  Type,
} from "rtr"
import { createFakeInference } from "rtr/testing"
import { expect, onTestFinished, test, vi } from "vitest"
import { createRouter, type RouterOptions } from "../../../ts/kernel/kernel.ts"
import { createRegistry } from "../../../ts/kernel/modules/registry.ts"
import { builtinModules } from "../../../ts/plugins/registry.gen.ts"
import { registry as registered } from "../../fakes/registry.ts"
import { documentWith } from "../../fakes/document.ts"
import { createFakeTransport, completion, jsonReply } from "../../fakes/transport.ts"
import { chat } from "../../fakes/kernel.ts"

/** A router with these modules, whose documents are activated one after the other. */
async function start(modules: Readonly<Record<string, unknown>> = {}, options: Partial<RouterOptions> = {}) {
  const builtins = await createRegistry(builtinModules)
  const registry = await createRegistry(
    builtinModules,
    Object.entries(modules).map(([id, module]) => ({ id, module, source: "test" })),
  )
  const router = createRouter({
    builtins,
    loadRegistry: async () => registry,
    transport: createFakeTransport(jsonReply(completion("hi"))),
    hash: async (text) => text,
    ...options,
  })
  onTestFinished(() => router.close())
  const activate = (changes: Readonly<Record<string, unknown>> = {}) =>
    router.activate({ text: JSON.stringify(documentWith(changes)), source: "config.yaml", trigger: "api" })
  const ask = async (text: string) => (await router.inference.fetch(chat(text))).text()
  return { router, activate, ask }
}

const embedding = (candidates: readonly string[]) => ({
  "routing.signals.embeddings": [{ name: "refund", threshold: 0.5, candidates }],
  "routing.decisions.0.rules": { type: "embedding", name: "refund" },
})

test("fixed texts are embedded once over two generations, and again when they change", async () => {
  const inference = createFakeInference()
  const embedded = () => inference.calls.flat().flatMap((question) => ("text" in question ? [question.text] : []))
  const { activate, ask } = await start({}, { inference })
  await expect(activate(embedding(["money back"]))).resolves.toMatchObject({ result: "active" })
  const first = embedded().length
  expect(embedded()).toContain("money back")
  await activate({ ...embedding(["money back"]), "routing.decisions.0.description": "changed" })
  expect(embedded()).toHaveLength(first)
  await activate(embedding(["a refund"]))
  expect(embedded().slice(first)).toContain("a refund")
  await ask("hello")
})

test("a document that asks a model which the inference says it has not is refused, and the one before serves on", async () => {
  const has = vi.fn<(deployment: { readonly name: string }) => boolean>().mockReturnValue(false)
  const { activate, router } = await start({}, { inference: { ...createFakeInference(), has } })
  await activate()
  const hash = router.plan()?.hash
  await expect(activate(embedding(["x"]))).resolves.toMatchObject({
    result: "rejected",
    rejection: {
      reasons: [
        {
          message:
            "Cannot ask model deployments default (signals): the inference of this kernel does not have them; make a new kernel with createNativeInference({ config }) of this document",
        },
      ],
    },
  })
  expect([router.plan()?.hash, has.mock.lastCall]).toEqual([
    hash,
    [expect.objectContaining({ name: "default", artifact: "signals" })],
  ])
  has.mockReturnValue(true)
  await expect(activate(embedding(["x"]))).resolves.toMatchObject({ result: "active" })
})

/** Counts requests in the document's store. */
const counting = (options: Parameters<typeof defineSelector>[0]["options"] = undefined) =>
  defineSelector({
    about: "Counts in a store",
    needs: ["store.kv"],
    ...(options !== undefined && { options }),
    setup: (_, { kv }: { kv: KeyValueStore }) => ({
      async select() {
        const count = Number((await kv.get("count"))?.value ?? 0) + 1
        await kv.set("count", count)
        return { candidate: count % 2, confidence: 1, reason: String(count) }
      },
    }),
  })
const counted = {
  "routing.decisions.0.modelRefs": [{ model: "small" }, { model: "large" }],
  "routing.decisions.0.algorithm": { type: "counting" },
}

test("equal settings share one store over generations; it is closed with the last one that uses it", async () => {
  const log: string[] = []
  const drawer = defineStore({
    about: "Keeps in memory and says so",
    shapes: ["kv"],
    options: Type.Object({ name: Type.String() }),
    setup: ({ name }) => {
      log.push(`open ${name}`)
      const values = new Map<string, unknown>()
      const kv = {
        get: async (key: string) => (values.has(key) ? { value: values.get(key) } : undefined),
        set: async (key: string, value: unknown) => void values.set(key, value),
      }
      return { kv: () => kv as never, close: async () => void log.push(`close ${name}`) }
    },
  })
  const reasons: (string | undefined)[] = []
  const { activate, ask, router } = await start(
    { drawer, counting: counting() },
    { onRecord: ({ selection }) => reasons.push(selection?.reason) },
  )
  const stored = (name: string, changes: object = {}) =>
    activate({ ...counted, "global.stores.state": { type: "drawer", configuration: { name } }, ...changes })
  await expect(stored("a")).resolves.toMatchObject({ result: "active" })
  await ask("urgent")
  await stored("a", { "routing.decisions.0.description": "changed" })
  await ask("urgent")
  expect([reasons, log]).toEqual([["1", "2"], ["open a"]])
  await stored("b")
  await ask("urgent")
  expect(reasons.at(-1)).toBe("1")
  await expect.poll(() => log).toEqual(["open a", "open b", "close a"])
  await router.close()
  expect(log).toEqual(["open a", "open b", "close a", "close b"])
})

test("a document whose preparing fails leaves nothing open: deployments are released, modules and stores closed", async () => {
  const log: string[] = []
  const opening = (name: string, fails: boolean) =>
    defineSignal({
      about: "Opens something",
      rule: Type.Object({}),
      setup: (rules: readonly RuleOf<ReturnType<typeof Type.Object>>[]) => {
        if (fails) throw new Error("no luck")
        log.push(`open ${name}`)
        return {
          read: () => rules.map((rule) => ({ rule: rule.name, state: "match", confidence: 1 }) as const),
          close: () => void log.push(`close ${name}`),
        }
      },
    })
  const { activate, router } = await start(
    { works: opening("works", false), fails: opening("fails", true) },
    {
      openInference: (deployments, source) => {
        log.push(`lease ${deployments.map(({ name }) => name).join()} of ${source}`)
        return {
          inference: createFakeInference(),
          ready: async () => {},
          release: async () => void log.push("release"),
        }
      },
    },
  )
  const rules = (...types: readonly string[]) => ({
    ...embedding(["x"]),
    ...Object.fromEntries(types.map((type) => [`routing.signals.${type}`, [{ name: type }]])),
    "routing.decisions.0.rules": {
      operator: "OR",
      conditions: ["embedding", ...types].map((type) => ({ type, name: type === "embedding" ? "refund" : type })),
    },
  })
  await expect(activate(rules("works", "fails"))).resolves.toMatchObject({ result: "rejected" })
  expect(log.toSorted()).toEqual(["close works", "lease default of config.yaml", "open works", "release"])
  expect(router.plan()).toBeUndefined()
  log.length = 0
  await expect(activate(rules("works"))).resolves.toMatchObject({ result: "active" })
  expect(log.toSorted()).toEqual(["lease default of config.yaml", "open works"])
  await router.close()
  expect(log.slice(-2).toSorted()).toEqual(["close works", "release"])
})

test("the status has the models that warm, also when a preparation that was left behind ends", async () => {
  const ends: (() => void)[] = []
  const { activate, router } = await start(
    {},
    {
      openInference: () => {
        const name = `lease ${ends.length}`
        return {
          inference: {
            ...createFakeInference(),
            status: () => [{ name, artifact: "a", process: "p", state: "starting", ready: false, restarts: 0 }],
          },
          ready: () => new Promise((resolve) => ends.push(resolve)),
          release: async () => {},
        }
      },
    },
  )
  const warming = (): readonly string[] => router.status().deployments.map(({ name }) => name)
  const first = activate(embedding(["x"]))
  await expect.poll(() => ends.length).toBe(1)
  expect(warming()).toEqual(["lease 0"])
  const second = activate(embedding(["y"]))
  await expect(first).resolves.toMatchObject({ result: "superseded" })
  await expect.poll(() => ends.length).toBe(2)
  ends[0]?.()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(warming()).toEqual(["lease 1"])
  ends[1]?.()
  await expect(second).resolves.toMatchObject({ result: "active" })
})

test("a document that is refused leaves alone the models that load for the one before, which serves then", async () => {
  const ends: (() => void)[] = []
  const { activate, router, ask } = await start(
    {},
    {
      openInference: () => ({
        inference: createFakeInference(),
        ready: () => new Promise((resolve) => ends.push(resolve)),
        release: async () => {},
      }),
    },
  )
  await activate()
  const good = activate(embedding(["x"]))
  await expect.poll(() => ends.length).toBe(1)
  for (const changes of [{ "listeners.0.port": 9999 }, { "routing.decisions.0.modelRefs": [{ model: "nobody" }] }])
    await expect(activate(changes)).resolves.toMatchObject({ result: "rejected" })
  expect(router.status().activation).toMatchObject({ version: 1, state: "pending", stage: "warm", attempt: 4 })
  ends[0]?.()
  await expect(good).resolves.toMatchObject({ result: "active", version: 2 })
  expect(router.status().activation).toMatchObject({ state: "failed", lastRejection: { attempt: 4 } })
  expect(await ask("hello")).toContain("hi")
})

test("what needs a restart is refused with its paths, and the old document serves on", async () => {
  const { activate, router, ask } = await start()
  await activate()
  const hash = router.plan()?.hash
  const outcome = await activate({ "listeners.0.port": 9999 })
  expect(outcome).toMatchObject({
    result: "rejected",
    rejection: { reasons: [{ code: "restart_required", path: expect.stringContaining("listeners"), line: 1 }] },
    error: { problems: [{ position: { line: 1, column: expect.any(Number) } }] },
  })
  expect([router.plan()?.hash, (await ask("hello")).includes("hi")]).toEqual([hash, true])
})

test("a route with a section of its own opens what it needs, and keeps what it shares over generations", async () => {
  const seen: unknown[] = []
  const route = defineRoute({
    about: "Opens a store",
    listeners: ["inference"],
    settings: { path: ["services", "thing"], schema: section({ max: Type.Integer() }) },
    async open({ settings, openStore, share }) {
      const shared = await share("count", () => ({ count: 0 }))
      shared.count += 1
      const store = await openStore("watched", { max: shared.count })
      return { settings, shared, offers: Object.keys(store) }
    },
    operations: [
      operation({
        id: "thing.read",
        method: "GET",
        path: "/thing",
        about: "Reads",
        permission: "inference.invoke",
        sensitivity: "operational",
        capability: "inference",
        plane: "data",
        audiences: ["client"],
        stability: "stable",
        errors: "inference",
        replies: { 200: { about: "Read", schema: Type.Object({}) } },
        setup: (_, opened) => () => {
          seen.push(opened)
          return { body: {} }
        },
      }),
    ],
  })
  const stores: string[] = []
  const watched = defineStore({
    about: "Tells when it is opened and closed",
    shapes: ["kv"],
    options: section({ max: Type.Integer() }),
    setup: ({ max }) => {
      stores.push(`open ${max}`)
      return { close: async () => void stores.push(`close ${max}`) }
    },
  })
  const { router, activate } = await start({ thing: route, watched })
  const read = () => router.inference.fetch(new Request("http://rtr.example/thing"))
  await activate({ "global.services": { thing: { max: 3 } } })
  await read()
  await activate({ "global.services": { thing: { max: 4 } } })
  await read()
  expect(await activate({ "global.services": { thing: { max: "x" } } })).toMatchObject({ result: "rejected" })
  await activate()
  await read()
  const shared = { count: 2 }
  expect(seen).toEqual([
    { settings: { max: 3 }, shared, offers: ["close"] },
    { settings: { max: 4 }, shared, offers: ["close"] },
    undefined,
  ])
  await vi.waitFor(() => expect(stores).toEqual(["open 1", "open 2", "close 1", "close 2"]))
})

test("a host may refuse a document that is valid, for its warnings for example", async () => {
  const host = {
    environment: () => ({}),
    loadRegistry: async () => registered,
    refuse: ({ warnings }: { readonly warnings: ConfigError["problems"] }) => warnings,
  }
  const load = (defaults: object): Promise<object> =>
    loadDocument(host, { text: JSON.stringify(documentWith({ "providers.defaults": defaults })), source: "c.yaml" })
  await expect(load({ model: "small" })).resolves.toBeDefined()
  const refused = await load({ default_model: "small" }).catch((error: unknown) => error)
  expect((refused as ConfigError).message).toMatch(
    /^Cannot use c\.yaml: 1 problem\n {2}c\.yaml:1:\d+ providers\.defaults\.default_model: "default_model" is the older spelling of "model"$/,
  )
})
