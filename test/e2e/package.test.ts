// Packs the package, installs it into an empty folder as a user would, and runs what is installed.

import { execFileSync, spawn } from "node:child_process"
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { expect, onTestFinished, test } from "vitest"
import { staticClosure } from "../../bench/size/bundle.ts"
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

  // The installed entries work for an outside module and an embedding host, and their types fit.
  writeFileSync(
    join(folder, "embed.ts"),
    `import { createKernel, defineSignal, Type } from "rtr"
       import { createBareKernel, type KernelOptions } from "rtr/edge"
       import { signalContract } from "rtr/testing"
       import confidence from "rtr/plugins/loopers/confidence"
       import chatCompletions from "rtr/plugins/dialects/chat-completions"
       import keyword from "rtr/plugins/signals/keyword"
       import memory from "rtr/plugins/stores/memory"
       import models from "rtr/plugins/routes/models"
       import selector from "rtr/plugins/selectors/static"
       import vllm from "rtr/plugins/providers/vllm"
       const config = { version: "v0.3", listeners: [{ name: "one", address: "127.0.0.1", port: 1 }], routing: {} }
       const modules = { chat_completions: chatCompletions, keyword, memory, models, static: selector, vllm }
       const options: KernelOptions = { config, modules }
       const never = defineSignal({ about: "Never", rule: Type.Object({}), setup: (rules) => ({ read: () => rules.map(({ name }) => ({ rule: name, state: "no_match" as const, confidence: 1 })) }) })
       for (const { run } of signalContract(never, { rules: [{ name: "n" }] })) await run()
       const said: unknown[] = [confidence.kind, keyword.kind]
       for (const kernel of [await createKernel({ config }), await createBareKernel(options)])
         said.push((await kernel.fetch(new Request("http://router/v1/models"))).status, (await kernel.fetch(new Request("http://router/v1/chat/completions", { method: "POST" }))).status)
       console.log(said.join(" "))
       // @ts-expect-error The types say which options there are.
       export const wrong: KernelOptions = { configuration: config }`,
  )
  expect(run(process.execPath, ["embed.ts"], folder)).toBe("looper signal 200 400 200 404\n")
  const lib = ["--lib", "es2024,dom,dom.iterable,dom.asynciterable", "--module", "nodenext", "--target", "es2024"]
  run(join(root, "node_modules/.bin/tsc"), ["--noEmit", "--strict", "--types", "", ...lib, "embed.ts"], folder)
  // A worker for an edge host is made of what is installed, without a module of Node.
  copyFileSync(join(root, "bench/size/edge/worker.ts"), join(folder, "worker.ts"))
  const bundle = await rolldown({
    cwd: folder,
    input: "worker.ts",
    platform: "neutral",
    external: /^node:/,
    resolve: { mainFields: ["module", "main"] },
    logLevel: "silent",
  })
  onTestFinished(() => bundle.close())
  const { output: chunks } = await bundle.generate({ format: "esm" })
  const imported = staticClosure(chunks.filter((file) => file.type === "chunk")).flatMap(({ imports }) => imports)
  expect(imported.filter((name) => name.startsWith("node:"))).toEqual([])
  // Each module of the sources has an entry and its types.
  const modulesIn = (path: string, ending: string): readonly string[] =>
    readdirSync(path, { recursive: true, encoding: "utf8" })
      .filter((file) => file.includes("/") && !file.startsWith("_") && file.endsWith(ending))
      .map((file) => file.slice(0, -ending.length))
      .toSorted()
  const packed = join(installed, "dist/plugins")
  const sources = modulesIn(join(root, "ts/plugins"), ".ts")
  expect([modulesIn(packed, ".js"), modulesIn(packed, ".d.ts")]).toEqual([sources, sources])
}, 300_000)
