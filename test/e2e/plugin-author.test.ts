// Follows docs/plugins.md to the letter in an empty folder: one source file, one test, one line of configuration.

import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand, startCommand, temporaryFolder, waitFor } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")
const guide = readFileSync(join(root, "docs/plugins.md"), "utf8")

/** The code blocks of the guide, in order. */
const blocks = [...guide.matchAll(/```(ts|yaml)\n(.*?)```/gs)].map(([, language, code]) => ({
  language,
  code: code ?? "",
}))

test("the guide's signal passes its test, is validated, and routes a request", async () => {
  const folder = temporaryFolder()
  const [source, unitTest, moduleLine, routing] = blocks.map(({ code }) => code)
  writeFileSync(join(folder, "shouting.ts"), source ?? "")
  writeFileSync(join(folder, "shouting.test.ts"), unitTest ?? "")

  // "a folder where rtr is installed": Node does not strip types inside node_modules, so the folder links to this checkout.
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules/rtr"))
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  const result = spawnSync(process.execPath, ["--test", "shouting.test.ts"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  expect(result.status, result.stdout + result.stderr).toBe(0)
  expect(result.stdout).toMatch(/capitals are shouting/)

  const base = `version: v0.3
listeners: [{ name: test, address: 127.0.0.1, port: 0 }]
global: { services: { management_api: { port: 0 } } }
`
  const config = join(folder, "config.yaml")
  writeFileSync(config, `${base}${routing}`)
  const without = await runCommand("rtr", ["config", "validate", "--config", config])
  expect([without.code, without.stderr]).toEqual([
    1,
    expect.stringMatching(/routing\.signals\.shouting: is not a known key/),
  ])
  writeFileSync(config, `${base}${moduleLine}${routing}`)
  const validated = await runCommand("rtr", ["config", "validate", "--config", config])
  expect([validated.code, validated.stderr]).toEqual([0, ""])
  writeFileSync(config, `${base}${moduleLine}${routing?.replace("min_ratio: 0.7", "min_ratio: 7")}`)
  expect((await runCommand("rtr", ["config", "validate", "--config", config])).stderr).toMatch(
    /shouting\[0\]\.min_ratio/,
  )

  writeFileSync(config, `${base}${moduleLine}${routing}`)
  const router = startCommand("rtr", ["serve", "--config", config, "--metrics-port", "0"])
  await waitFor(() => router.stdout().includes("\n  test ") || router.child.exitCode !== null)
  const url = /^ {2}test\s+(\S+)$/m.exec(router.stdout())?.[1]
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "MoM", messages: [{ role: "user", content: "WHERE IS MY ORDER" }] }),
  })
  expect(await reply.json()).toMatchObject({ choices: [{ message: { content: "We hear you. What happened?" } }] })
})

test("a module that cannot be loaded is refused with its name and the reason", async () => {
  const folder = temporaryFolder()
  const config = join(folder, "config.yaml")
  const check = async (line: string): Promise<string> => {
    writeFileSync(config, `version: v0.3\n${line}\nrouting: {}\n`)
    return (await runCommand("rtr", ["config", "validate", "--config", config])).stderr
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
    /Cannot register module "empty" from \.\/empty\.ts: kind must be one of/,
  )
  expect(await check('modules: ["./static.ts"]')).toMatch(
    /Cannot register selector "static" from \.\/static\.ts: builtin already has that id/,
  )
  expect(await check('modules: ["no-such-package-anywhere"]')).toMatch(/Cannot load module no-such-package-anywhere/)
  expect(await check('modules: ["./keyword.ts"]')).toBe("")
})
