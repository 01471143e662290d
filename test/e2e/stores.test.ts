// What modules remember in `global.stores.state`: over requests, changes of the document, restarts, and between two routers.

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { writeModules } from "./_modules.ts"
import {
  providersOn,
  startCommand,
  startRouter,
  startTestBackend,
  type TestRouter,
  temporaryFolder,
  userMessage,
  waitFor,
} from "./_processes.ts"

/** Takes the candidates in turn, by a count in the store. */
const turns = `
import { defineSelector } from "rtr"
export default defineSelector({
  about: "Takes the candidates in turn",
  needs: ["store.kv"],
  setup: (_, { candidates, kv }) => ({
    async select() {
      const count = await kv.increment("count", 1)
      return { candidate: count % candidates.length, confidence: 1, reason: \`number \${count}\` }
    },
  }),
})
`

const documentOf = (endpoint: string, module: string, state: object | undefined, more: object = {}): object => ({
  modules: [module],
  providers: providersOn(endpoint, "zero", "one", "two"),
  routing: {
    decisions: [
      {
        name: "any",
        rules: { operator: "AND", conditions: [] },
        modelRefs: ["zero", "one", "two"].map((model) => ({ model })),
        algorithm: { type: "turns" },
      },
    ],
    ...more,
  },
  ...(state !== undefined && { global: { stores: { state } } }),
})

const sqlite = (path: string): object => ({ type: "sqlite", configuration: { path } })

/** The models that answer the next requests. */
async function next(router: TestRouter, count: number): Promise<readonly (string | null)[]> {
  const models: (string | null)[] = []
  for (let asked = 0; asked < count; asked++) {
    const response = await router.ask(userMessage("hello"))
    expect(response.status, await response.text()).toBe(200)
    models.push(response.headers.get("x-selected-model"))
  }
  return models
}

async function setUp(): Promise<{ endpoint: string; module: string; file: string }> {
  const { endpoint } = await startTestBackend()
  const { turns: module } = writeModules({ turns })
  return { endpoint, module, file: join(temporaryFolder(), "state.db") }
}

test("a count in SQLite goes on after a change of the document and after a restart; one in memory only after the change", async () => {
  const { endpoint, module, file } = await setUp()
  const changed = { signals: { keywords: [{ name: "any", operator: "OR", keywords: ["changed"] }] } }
  for (const { state, afterRestart } of [
    { state: sqlite(file), afterRestart: ["two", "zero"] },
    { state: undefined, afterRestart: ["one", "two"] },
  ]) {
    const first = await startRouter(documentOf(endpoint, module, state))
    expect(await next(first, 2)).toEqual(["one", "two"])
    const version = (await first.ask({ model: "zero", messages: [{ role: "user", content: "x" }] })).headers
    first.write(documentOf(endpoint, module, state, changed))
    await waitFor(async () => {
      const { headers } = await first.ask({ model: "zero", messages: [{ role: "user", content: "x" }] })
      return headers.get("x-rtr-config-version") !== version.get("x-rtr-config-version")
    })
    expect(await next(first, 2)).toEqual(["zero", "one"])
    expect(await first.stop()).toBe(0)

    const second = await startRouter(documentOf(endpoint, module, state))
    expect(await next(second, 2)).toEqual(afterRestart)
    expect(await second.stop()).toBe(0)
  }
}, 60_000)

test("two routers on one file count together, also at the same time", async () => {
  const { endpoint, module, file } = await setUp()
  const routers = await Promise.all([1, 2].map(() => startRouter(documentOf(endpoint, module, sqlite(file)))))
  const models = (await Promise.all(routers.map((router) => next(router, 60)))).flat()
  const counts = Map.groupBy(models, (model) => model)
  expect(Object.fromEntries([...counts].map(([model, all]) => [model, all.length]))).toEqual({
    zero: 40,
    one: 40,
    two: 40,
  })
  // Each router sees what the other has counted: 120 so far.
  expect(await next(routers[0] as TestRouter, 1)).toEqual(["one"])
  expect(await next(routers[1] as TestRouter, 1)).toEqual(["two"])
}, 60_000)

describe("a store that cannot be opened", () => {
  const cases: readonly { readonly name: string; readonly make: (folder: string) => string; readonly says: RegExp }[] =
    [
      {
        name: "in a folder that is not there",
        make: (folder) => join(folder, "missing", "state.db"),
        says: /unable to open database file; the folder must exist, and this user must be able to write to it/,
      },
      {
        name: "whose path is a folder",
        make: (folder) => {
          mkdirSync(join(folder, "state.db"))
          return join(folder, "state.db")
        },
        says: /unable to open database file/,
      },
      {
        name: "that is no database",
        make: (folder) => {
          writeFileSync(join(folder, "state.db"), "not a database ".repeat(1000))
          return join(folder, "state.db")
        },
        says: /not a database; the file is damaged or belongs to another program; move it away to start empty, or restore a copy/,
      },
    ]

  test("stops the start with its file and its place in the document", async () => {
    const { endpoint, module } = await setUp()
    for (const { name, make, says } of cases) {
      const folder = temporaryFolder()
      const file = make(folder)
      const config = join(folder, "config.json")
      const services = { management_api: { port: 0 } }
      const document = documentOf(endpoint, module, sqlite(file)) as { global: object }
      writeFileSync(config, JSON.stringify({ version: "v0.3", ...document, global: { ...document.global, services } }))
      const command = startCommand("rtr", ["serve", "--config", config, "--metrics-port", "0"])
      expect(await command.exited, name).toBe(1)
      expect(command.stderr(), name).toContain(`Cannot use the store ${file}`)
      expect(command.stderr(), name).toMatch(says)
      expect(command.stderr(), name).toContain(" (global.stores.state)\n")
    }
  }, 60_000)

  test("leaves the old document serving when it comes with a change", async () => {
    const { endpoint, module, file } = await setUp()
    const router = await startRouter(documentOf(endpoint, module, sqlite(file)))
    expect(await next(router, 1)).toEqual(["one"])
    router.write(documentOf(endpoint, module, sqlite(join(temporaryFolder(), "missing", "state.db"))))
    const rejection = async (): Promise<{ reasons: readonly object[] } | undefined> => {
      const response = await fetch(`${router.management}/startup-status`)
      return ((await response.json()) as { last_rejection?: { reasons: readonly object[] } }).last_rejection
    }
    await waitFor(async () => (await rejection()) !== undefined)
    expect((await rejection())?.reasons).toEqual([
      expect.objectContaining({
        stage: "warm",
        path: "global.stores.state",
        message: expect.stringContaining("Cannot use the store"),
      }),
    ])
    expect(await next(router, 1)).toEqual(["two"])
  })
})
