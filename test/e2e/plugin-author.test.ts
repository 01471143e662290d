// Follows docs/plugins.md to the letter in an empty folder: its files are written as they stand there, checked and run.

import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { capabilityNames, grantedQuestions, grantSetup } from "../../ts/kernel/modules/capabilities.ts"
import { moduleKinds } from "../../ts/kernel/modules/kinds.ts"
import { atEnd } from "./_ends.ts"
import { installedFolder, readPage, typeCheck } from "./_page-files.ts"
import { runCommand, startCommand, temporaryFolder, waitFor } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")
/** The files of the guide by name, and what its unnamed parts of documents say. */
const { text: guide, files } = readPage("plugins.md")
const fragments = [...guide.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => parse(text) as Fragment)

interface Fragment {
  readonly global?: { readonly model_catalog?: object; readonly stores?: object }
  readonly algorithm?: { readonly type: string }
}

/** A folder with the guide's TypeScript. */
const authorFolder = (): string =>
  installedFolder(
    [...files].filter(([name]) => name.endsWith(".ts")),
    ["@types/node"],
  )

function runNode(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  expect(status, stdout + stderr).toBe(0)
  return stdout
}

// Compilers and test runners start here; a busy machine takes its time.
describe("the guide's files", { timeout: 120_000 }, () => {
  test("type-check with the options that it names", () => {
    typeCheck(authorFolder())
  })

  test("show a module of each kind, and all keep their contracts", () => {
    const sources = [...files].filter(([name]) => name.endsWith(".ts")).map(([, text]) => text)
    for (const { define, suite } of Object.values(moduleKinds)) {
      expect(
        sources.some((text) => text.includes(`export default ${define}(`)),
        define,
      ).toBe(true)
      expect(files.get("contracts.test.ts")).toContain(`${suite}(`)
    }
    const output = runNode(authorFolder(), "--test", "contracts.test.ts")
    for (const kind of Object.keys(moduleKinds)) expect(output).toContain(`${kind}: says what it does in one line`)
  })

  test("test a selector and a plugin with cases of their own", () => {
    const output = runNode(authorFolder(), "--test", "cases.test.ts")
    expect(output).toMatch(/candidates take turns, and a preview takes none/)
    expect(output).toMatch(/the text of a reply is in capitals/)
  })

  test("embed the kernel", () => expect(runNode(authorFolder(), "embed.ts")).toContain("We hear you."))

  test("embed the kernel on Deno, with the permissions that stand there", async () => {
    const folder = authorFolder()
    const listener = "{ name: test, address: 127.0.0.1, port: 0 }"
    writeFileSync(
      join(folder, "config.yaml"),
      `version: v0.3\nlisteners: [${listener}]\n${files.get("modules.yaml")}\n${files.get("routing.yaml")}`,
    )
    const [, args = ""] = /^deno (run .*embed-deno\.ts)$/m.exec(guide) ?? []
    const deno = spawn(join(root, "node_modules/.bin/deno"), args.replace("run", "run --no-prompt").split(" "), {
      cwd: folder,
    })
    const exited = once(deno, "close")
    atEnd(async () => {
      deno.kill("SIGKILL")
      await exited
    })
    let output = ""
    for (const stream of [deno.stdout, deno.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()))
    await waitFor(() => output.includes("listening on port ") || deno.exitCode !== null, 60_000)
    const [, port] = /listening on port (\d+)/.exec(output) ?? []
    expect(port, output).toBeDefined()
    const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "MoM", messages: [{ role: "user", content: "WHERE IS MY ORDER" }] }),
    })
    expect(reply.headers.get("x-rtr-selected-decision")).not.toBeNull()
  })

  test("make a document that is valid, and whose options are checked", async () => {
    const folder = authorFolder()
    const config = join(folder, "config.json")
    const algorithms = [{ type: "take_turns" }, ...fragments.flatMap(({ algorithm }) => algorithm ?? [])]
    const document = {
      version: "v0.3",
      listeners: [{ name: "test", address: "127.0.0.1", port: 0 }],
      modules: [...files.keys()].filter((name) => /^(?!embed|.*\.test).*\.ts$/.test(name)).map((name) => `./${name}`),
      providers: {
        defaults: { model: "a" },
        models: ["a", "b"].map((name) => ({
          name,
          backend_refs: [{ base_url: "http://127.0.0.1:1", provider: "legacy-server" }],
        })),
      },
      global: Object.assign({}, ...fragments.map((fragment) => fragment.global)) as { model_catalog: object },
      routing: {
        signals: { wants_picture: [{ name: "picture", min_probability: 0.5 }] },
        decisions: algorithms.map((algorithm) => ({
          name: algorithm.type,
          rules: { type: "wants_picture", name: "picture" },
          modelRefs: [{ model: "a" }, { model: "b" }],
          algorithm,
          plugins: [{ type: "upper_case", configuration: {} }],
        })),
      },
    }
    const global = {
      ...document.global,
      model_catalog: { ...document.global.model_catalog, deployments: { "my-model": { artifact: "signals" } } },
    }
    const check = async (value: object): Promise<unknown> => {
      writeFileSync(config, JSON.stringify(value))
      const { code, stderr } = await runCommand("rtr", ["config", "validate", "--load-modules", "--config", config])
      return [code, stderr]
    }
    expect(await check({ ...document, global })).toEqual([0, ""])
    const misspelt = {
      stores: { state: { type: "team_sqlite", configuration: { path: "x", tem: "search" } } },
    }
    expect(await check({ ...document, global: { ...global, ...misspelt } })).toEqual([
      1,
      expect.stringMatching(/stores\.state\.configuration\.tem/),
    ])
  })
})

test("the guide's tables list every kind and every capability, with what it gives", () => {
  const rows = (heading: string): readonly (readonly string[])[] => {
    const part =
      guide
        .slice(guide.indexOf(heading))
        .split("\n\n")
        .find((text) => text.startsWith("|")) ?? ""
    return part
      .split("\n")
      .slice(2)
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
  }
  const code = (cell = ""): string => /^`(.*?)`/.exec(cell)?.[1] ?? ""
  expect(
    rows("# Write a module").map(([kind = "", , , define, suite]) => [
      kind.slice(1, kind.indexOf("]")),
      code(define),
      code(suite),
    ]),
  ).toEqual(Object.entries(moduleKinds).map(([kind, { define, suite }]) => [kind, define, suite]))
  // Whoever asks these services for anything gets a function.
  const services = new Proxy({}, { get: () => () => ({}) }) as never
  const grantee = { name: "signal:test" }
  const nameOf = (cell = ""): string => /^\w*/.exec(code(cell))?.[0] ?? ""
  expect(rows("## Capabilities").map(([need, setup, read]) => [code(need), nameOf(setup), nameOf(read)])).toEqual(
    capabilityNames.map((need) => [
      need,
      Object.keys(grantSetup([need], services, grantee)).join(),
      grantedQuestions([need], grantee).join(),
    ]),
  )
})

test("the guide's signal passes its test, is validated, and routes a request", async () => {
  const folder = authorFolder()
  const [moduleLine = "", routing] = [files.get("modules.yaml"), files.get("routing.yaml")]
  expect(runNode(folder, "--test", "shouting.test.ts")).toMatch(/capitals are shouting/)

  const base = `version: v0.3
listeners: [{ name: test, address: 127.0.0.1, port: 0 }]
global: { services: { management_api: { port: 0 } } }
`
  const config = join(folder, "config.yaml")
  writeFileSync(config, `${base}${routing}`)
  const without = await runCommand("rtr", ["config", "validate", "--load-modules", "--config", config])
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringMatching(/routing\.signals\.shouting: is not a known key/),
  ])
  writeFileSync(config, `${base}${moduleLine}${routing}`)
  const validated = await runCommand("rtr", ["config", "validate", "--load-modules", "--config", config])
  expect([validated.code, validated.stderr]).toEqual([0, ""])
  const unloaded = await runCommand("rtr", ["config", "validate", "--config", config])
  expect([unloaded.code, unloaded.stdout, unloaded.stderr]).toEqual([
    0,
    `✓ ${config} is valid as far as it was checked\n`,
    expect.stringMatching(
      /^Note: \.\/shouting\.ts was not loaded, .*; not checked: routing\.signals\.shouting, routing\.decisions\[0\]\.rules\.type\nHint: .*--load-modules/,
    ),
  ])
  writeFileSync(config, `${base}${moduleLine}${routing?.replace("min_ratio: 0.7", "min_ratio: 7")}`)
  expect((await runCommand("rtr", ["config", "validate", "--load-modules", "--config", config])).stderr).toMatch(
    /shouting\[0\]\.min_ratio/,
  )

  writeFileSync(config, `${base}${moduleLine}${routing}`)
  const router = startCommand("rtr", ["serve", "--config", config, "--metrics-port", "0"])
  await waitFor(() => router.stdout().includes("\n  test ") || router.child.exitCode !== null, 60_000)
  const url = /^ {2}test\s+(\S+)$/m.exec(router.stdout())?.[1]
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "MoM", messages: [{ role: "user", content: "WHERE IS MY ORDER" }] }),
  })
  expect(await reply.json()).toMatchObject({ choices: [{ message: { content: "We hear you. What happened?" } }] })
})

test("a package of TypeScript is refused with what would be right", async () => {
  const folder = authorFolder()
  const [config, name] = [join(folder, "config.yaml"), "rtr-plugin-typed"]
  const typed = join(folder, "node_modules", name)
  mkdirSync(typed, { recursive: true })
  writeFileSync(join(typed, "package.json"), JSON.stringify({ name, type: "module", exports: "./main.ts" }))
  writeFileSync(join(typed, "main.ts"), "export default {}\n")
  writeFileSync(config, JSON.stringify({ version: "v0.3", modules: [name] }))
  const { code, stderr } = await runCommand("rtr", ["config", "validate", "--load-modules", "--config", config])
  expect([code, stderr]).toEqual([1, expect.stringContaining("build it to JavaScript, or name its file")])
})

test("config router and config schema run the code of modules with --load-modules only", async () => {
  const folder = authorFolder()
  const [config, ran] = [join(folder, "config.yaml"), join(folder, "ran")]
  const file = join(folder, "shouting.ts")
  const first = `import { writeFileSync } from "node:fs"\nwriteFileSync(${JSON.stringify(ran)}, "")\n`
  writeFileSync(file, first + readFileSync(file, "utf8"))
  writeFileSync(config, `version: v0.3\n${files.get("modules.yaml")}${files.get("routing.yaml")}`)
  const run = (...args: string[]) => runCommand("rtr", ["config", ...args, "--config", config])
  const section = ["--section", "routing.signals.shouting"]

  const [router, schema, withoutConfig] = await Promise.all([
    run("router"),
    run("schema", ...section),
    runCommand("rtr", ["config", "schema", "--load-modules"]),
  ])
  expect([router.code, parse(router.stdout), router.stderr]).toEqual([
    0,
    expect.objectContaining({ modules: ["./shouting.ts"] }),
    expect.stringMatching(/^Note: \.\/shouting\.ts was not loaded, .*normal form is missing\nHint: .*--load-modules/),
  ])
  expect([schema.code, schema.stdout, schema.stderr]).toEqual([2, "", expect.stringMatching(/needs --load-modules/)])
  expect([withoutConfig.code, withoutConfig.stderr]).toEqual([2, expect.stringMatching(/needs --config/)])
  expect(existsSync(ran)).toBe(false)

  const loads = await run("router", "--load-modules")
  expect([loads.code, loads.stderr, existsSync(ran)]).toEqual([0, "", true])
  rmSync(ran)
  expect((await run("schema", "--load-modules", ...section)).stdout).toMatch(/min_ratio/)
  expect(existsSync(ran)).toBe(true)
})

test("a module that cannot be loaded is refused with its name and the reason", async () => {
  const folder = temporaryFolder()
  const config = join(folder, "config.yaml")
  const check = async (line: string): Promise<string> => {
    writeFileSync(config, `version: v0.3\n${line}\nrouting: {}\n`)
    return (await runCommand("rtr", ["config", "validate", "--load-modules", "--config", config])).stderr
  }
  writeFileSync(join(folder, "throws.ts"), 'throw new Error("no licence")')
  writeFileSync(join(folder, "empty.ts"), "export default {}")
  writeFileSync(
    join(folder, "keyword.ts"),
    'import { defineSelector } from "rtr"\nexport default defineSelector({ about: "x", setup: () => () => ({ candidate: 0, confidence: 1, reason: "x" }) })',
  )
  writeFileSync(join(folder, "static.ts"), readFileSync(join(folder, "keyword.ts"), "utf8"))
  expect(await check('modules: ["./missing.ts"]')).toMatch(/Cannot load module \.\/missing\.ts: Cannot find module/)
  expect(await check('modules: ["./throws.ts"]')).toMatch(/Cannot load module \.\/throws\.ts: no licence/)
  expect(await check('modules: ["./empty.ts"]')).toMatch(
    /Cannot register module "empty" from \.\/empty\.ts: its default export must be made by one of/,
  )
  expect(await check('modules: ["./static.ts"]')).toMatch(
    /modules\[0\]: Cannot register selector "static" from \.\/static\.ts: a built-in selector already has that id/,
  )
  expect(await check('modules: ["no-such-package-anywhere"]')).toMatch(/Cannot load module no-such-package-anywhere/)
  expect(await check('modules: ["./keyword.ts"]')).toBe("")
})
