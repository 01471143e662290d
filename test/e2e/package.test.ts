// Packs the package, installs it into an empty folder as a user would, and runs what is installed.

import { execFileSync, spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { temporaryFolder, waitFor } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")

test("the packed package installs without scripts and serves, with its addon and its models", async () => {
  const folder = temporaryFolder()
  const run = (command: string, args: readonly string[], cwd: string): string =>
    execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
  run("npm", ["pack", "--pack-destination", folder], root)
  // Packing swaps bundles in; afterwards a checkout runs its sources again.
  expect(readFileSync(join(root, "dist/rtr.js"), "utf8")).toMatch(/^export \* from "\.\.\/ts\/kernel\/index\.ts"/)

  const [tarball] = readdirSync(folder)
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}')
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", `./${tarball}`], folder)
  const installed = join(folder, "node_modules/rtr")
  expect(existsSync(join(installed, "ts"))).toBe(false)

  const bin = join(folder, "node_modules/.bin")
  expect(run(process.execPath, [join(bin, "rtr"), "--version"], folder)).toMatch(/^rtr version: \d/)
  run(process.execPath, [join(bin, "rtr"), "config", "init"], folder)
  expect(run(process.execPath, [join(bin, "rtr"), "config", "validate"], folder)).toMatch(/is valid/)
  expect(run(process.execPath, [join(bin, "rtrun"), "models"], folder)).toMatch(/^signals .*\nstatic /m)

  const config = readFileSync(join(folder, "config.yaml"), "utf8").replace("port: 8801", "port: 0")
  writeFileSync(join(folder, "config.yaml"), `${config}\nglobal: { services: { management_api: { port: 0 } } }\n`)
  const router = spawn(process.execPath, [join(bin, "rtr"), "serve", "--metrics-port", "0"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  })
  onTestFinished(() => void router.kill("SIGKILL"))
  let output = ""
  for (const stream of [router.stdout, router.stderr])
    stream.on("data", (piece: Buffer) => (output += piece.toString()))
  await waitFor(() => output.includes("http-8801") || router.exitCode !== null, 60_000)
  const management = /^ {2}management\s+(\S+)$/m.exec(output)?.[1]
  expect(management, output).toBeDefined()
  const preview = await fetch(`${management}/api/v1/routing/preview`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "Write a Rust function that reverses a linked list" }),
  })
  expect(await preview.json()).toMatchObject({
    selected_model: "large",
    decision_result: { decision_name: "hard-work" },
  })

  // The installed entries work for an outside module and an embedding host.
  writeFileSync(
    join(folder, "embed.js"),
    `import { createKernel, defineSignal, Type } from "rtr"
       import { signalContract } from "rtr/testing"
       import keyword from "rtr/plugins/signals/keyword"
       const kernel = await createKernel({ config: { version: "v0.3", routing: {} } })
       const never = defineSignal({ about: "Never", rule: Type.Object({}), setup: (rules) => ({ read: () => rules.map(({ name }) => ({ rule: name, state: "no_match", confidence: 1 })) }) })
       for (const { run } of signalContract(never, { rules: [{ name: "n" }] })) await run()
       console.log(keyword.kind, (await kernel.fetch(new Request("http://router/v1/models"))).status)`,
  )
  expect(run(process.execPath, ["embed.js"], folder)).toBe("signal 200\n")
}, 300_000)
