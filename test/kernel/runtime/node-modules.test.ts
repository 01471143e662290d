import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import type { ConfigError } from "../../../ts/kernel/config/config-error.ts"
import { wrapDocument } from "../../../ts/kernel/config/source-document.ts"
import { RtrError } from "../../../ts/kernel/error.ts"
import { loadRegistryFor, registryWithoutModules } from "../../../ts/kernel/runtime/node-modules.ts"
import { builtinModules } from "../../../ts/plugins/registry.gen.ts"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, content: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), content)
}

const plugin = (about: string): string => `import { definePlugin, RtrError, Type } from "rtr"
export default definePlugin({
  about: ${JSON.stringify(about)},
  options: Type.Object({}),
  hooks: ["before"],
  setup: () => ({ open: () => ({ before: () => ({ refuse: new RtrError("invalid_request", "no") }) }) }),
})
`

const loadDocument = (document: unknown) => loadRegistryFor(wrapDocument(document), join(folder, "config.yaml"))
const load = (...modules: readonly unknown[]) => loadDocument({ modules })

test("a document without modules has the built-in ones", async () => {
  for (const document of [{}, null, undefined, { modules: null }, { modules: "x" }, { modules: [] }]) {
    const registry = await loadDocument(document)
    expect(registry.all("signal").length + registry.all("plugin").length).toBe(
      builtinModules.filter(({ kind }) => kind === "signal" || kind === "plugin").length,
    )
  }
})

describe("a file", () => {
  test.each(["js", "mjs", "ts", "mts"])(
    "in .%s is loaded relative to the document, named after itself",
    async (extension) => {
      write(`plugins/polite-${extension}.${extension}`, plugin("says no"))
      const registry = await load(`./plugins/polite-${extension}.${extension}`)
      expect(registry.find("plugin", `polite_${extension}`)).toMatchObject({
        source: `./plugins/polite-${extension}.${extension}`,
        module: { about: "says no" },
      })
    },
  )

  test("may be named by its absolute path", async () => {
    write("absolute.mjs", plugin("says no"))
    expect((await load(join(folder, "absolute.mjs"))).find("plugin", "absolute")).toBeDefined()
  })

  test('that imports "rtr" gets the kernel that runs', async () => {
    write("same.mjs", plugin("says no"))
    const opened = await (await load("./same.mjs")).find("plugin", "same")?.module.setup({}, { decision: "d" })
    const result = (await opened?.open({} as never).before?.({} as never)) as { refuse: unknown }
    expect(result.refuse).toBeInstanceOf(RtrError)
  })
})

describe("a package", () => {
  test("is found beside the document", async () => {
    write(
      "node_modules/rtr-plugin-beside/package.json",
      '{"name":"rtr-plugin-beside","type":"module","exports":"./main.js"}',
    )
    write("node_modules/rtr-plugin-beside/main.js", plugin("comes from a package"))
    expect((await load("rtr-plugin-beside")).find("plugin", "beside")).toMatchObject({
      source: "rtr-plugin-beside",
      module: { about: "comes from a package" },
    })
  })

  test("of a team is named by its last part", async () => {
    write(
      "node_modules/@team/rtr-plugin-scoped/package.json",
      '{"name":"@team/rtr-plugin-scoped","type":"module","exports":"./main.js"}',
    )
    write("node_modules/@team/rtr-plugin-scoped/main.js", plugin("comes from a team"))
    expect((await load("@team/rtr-plugin-scoped")).find("plugin", "scoped")).toBeDefined()
  })
})

describe("a module that cannot be used", () => {
  const refused = (message: string) =>
    expect.objectContaining({
      code: expect.stringMatching(/^invalid_(config|module)$/),
      message: expect.stringContaining(message),
    })

  test.each<[string, string, string]>([
    ["throws", 'throw new Error("no luck")', "Cannot load module ./throws.mjs: no luck"],
    ["is no JavaScript", "export default {", "Cannot load module ./is-no-javascript.mjs: "],
    ["imports what is not there", 'import "./nothing.mjs"', "Cannot load module ./imports-what-is-not-there.mjs: "],
    [
      "exports nothing",
      "",
      'Cannot register module "exports-nothing" from ./exports-nothing.mjs: it has no default export; write `export default defineSignal(…)`',
    ],
    ["has a named export only", "export const signal = {}", "it has no default export; write "],
    [
      "exports a number",
      "export default 5",
      'Cannot register module "exports-a-number" from ./exports-a-number.mjs: its default export must be made by',
    ],
    [
      "is of an unknown kind",
      'export default { kind: "gadget", about: "x" }',
      'kind must be one of signal, selector, looper, plugin, provider, dialect, store, route, got "gadget"',
    ],
    ["exports a plain object", "export default {}", "its default export must be made by one of defineSignal, "],
    [
      "has a pattern that is none",
      'import { defineSignal, Type } from "rtr"\nexport default defineSignal({ about: "x", rule: Type.Object({ prefix: Type.String({ pattern: "(" }) }), setup: () => ({}) })',
      "from ./has-a-pattern-that-is-none.mjs: rule.prefix has a pattern that cannot be used: Invalid regular expression: /(/u",
    ],
    [
      "lacks setup",
      'export default { kind: "plugin", about: "x", options: {}, hooks: [] }',
      "setup must be a function",
    ],
  ])("because it %s", async (why, content, message) => {
    const name = `${why.toLowerCase().replaceAll(" ", "-")}.mjs`
    write(name, content)
    await expect(load(`./${name}`)).rejects.toEqual(refused(message))
  })

  test("because it is not there", async () => {
    await expect(load("./none.mjs")).rejects.toEqual(refused("Cannot load module ./none.mjs: "))
    await expect(load("rtr-plugin-none")).rejects.toEqual(refused("Cannot load module rtr-plugin-none: "))
  })

  test("is told with all others and its position", async () => {
    write("number.mjs", "export default 5")
    const loading = load("./gone.mjs", 5, "./number.mjs", "")
    await expect(loading).rejects.toEqual(refused("Cannot load module ./gone.mjs: "))
    const { problems } = (await loading.catch((error: unknown) => error)) as ConfigError
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      [["modules", 0], expect.stringMatching(/^Cannot load module \.\/gone\.mjs: Cannot find module '\S+gone\.mjs'$/)],
      [["modules", 1], 'Cannot load module 5: it must be a file, such as "./shouting.ts", or the name of a package'],
      [["modules", 2], expect.stringContaining('Cannot register module "number" from ./number.mjs: ')],
      [["modules", 3], expect.stringContaining('Cannot load module "": it must be a file')],
    ])
  })

  test("is told also where its code does not run", async () => {
    const checking = registryWithoutModules(wrapDocument({ modules: [3, "", "./gone.mjs"] }), join(folder, "c.yaml"))
    const { problems } = (await checking.catch((error: unknown) => error)) as ConfigError
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      [["modules", 0], expect.stringContaining("Cannot load module 3: it must be a file")],
      [["modules", 1], expect.stringContaining('Cannot load module "": it must be a file')],
      [["modules", 2], "Cannot load module ./gone.mjs: there is no such file"],
    ])
  })

  test("because it never finishes loading", async () => {
    write("endless.mjs", "await new Promise(() => {})\nexport default 5")
    vi.useFakeTimers()
    try {
      const failed = load("./endless.mjs").catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(30_000)
      expect(await failed).toEqual(
        refused(
          "Cannot load module ./endless.mjs: it was not loaded within 30 seconds; an await at its top level, or in a file that it imports, does not end",
        ),
      )
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  test("and was mended says that it needs a restart, where Node keeps what it has loaded", async () => {
    const restart = "; restart the router after mending it"
    for (const [name, content] of [
      ["kept-throw", 'throw new Error("no luck")'],
      ["kept-number", "export default 5"],
    ] as const) {
      write(`${name}.mjs`, content)
      await expect(load(`./${name}.mjs`)).rejects.not.toEqual(refused(restart))
      write(`${name}.mjs`, plugin("is mended"))
      await expect(load(`./${name}.mjs`)).rejects.toEqual(refused(restart))
    }
  })

  test("because its id is taken by a built-in one", async () => {
    write("system-prompt.mjs", plugin("says no"))
    await expect(load("./system-prompt.mjs")).rejects.toEqual(
      refused(
        'Cannot register plugin "system_prompt" from ./system-prompt.mjs: a built-in plugin already has that id. An id is the name of the file or package: rename it, and list it once',
      ),
    )
  })

  test("because its id is taken by another one", async () => {
    write("a/twin.mjs", plugin("one"))
    write("b/twin.mjs", plugin("two"))
    await expect(load("./a/twin.mjs", "./b/twin.mjs")).rejects.toEqual(
      refused('Cannot register plugin "twin" from ./b/twin.mjs: ./a/twin.mjs already has that id'),
    )
  })

  test("because its id is taken, with its place in the document", async () => {
    write("same.mjs", plugin("one"))
    const { problems } = (await load("./same.mjs", "./same.mjs").catch((error: unknown) => error)) as ConfigError
    expect(problems.map(({ path }) => path)).toEqual([["modules", 1]])
  })

  test("because its name is no id", async () => {
    write("Loud.mjs", plugin("says no"))
    await expect(load("./Loud.mjs")).rejects.toEqual(refused("its id must be lower-case words"))
  })
})
