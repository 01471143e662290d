import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { askHost, type Host, hostContract } from "./_host-contract.ts"
import { startTestBackend, temporaryFolder, type TestBackend, waitFor } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")

interface DenoKernel extends Host {
  ask(content: string, extra?: object): Promise<Response>
  stop(): Promise<void>
}

/** Serves a document under Deno, usually the fixture's; `folder` is for its SQLite store. */
async function startDeno(
  { endpoint }: TestBackend,
  folder: string,
  document = "test/e2e/fixtures/deno-config.yaml",
): Promise<DenoKernel> {
  const permissions = ["--allow-net=127.0.0.1", "--allow-read", `--allow-write=${folder}`, "--allow-env"]
  const deno = spawn(
    join(root, "node_modules/.bin/deno"),
    ["run", "--no-prompt", ...permissions, "test/e2e/fixtures/deno-main.ts", document],
    { cwd: root, env: { ...process.env, BACKEND: endpoint, STORE: join(folder, "state.db"), NO_COLOR: "1" } },
  )
  const stop = async (): Promise<void> => {
    if (deno.exitCode !== null || deno.signalCode !== null) return
    deno.kill("SIGKILL")
    await once(deno, "exit")
  }
  onTestFinished(stop)
  let output = ""
  for (const stream of [deno.stdout, deno.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()))
  await waitFor(() => output.includes("listening on ") || deno.exitCode !== null, 25_000)
  const port = /listening on (\d+)/.exec(output)?.[1]
  expect(port, output).toBeDefined()
  const host = { url: `http://127.0.0.1:${port}`, headers: { authorization: "Bearer deno-key" } }
  return { ...host, stop, ask: (content, extra) => askHost(host, content, extra) }
}

test("the kernel routes under Deno, with outside modules and a keyword decision", async () => {
  const { ask, url } = await startDeno(await startTestBackend(), temporaryFolder())
  const greeted = await ask("hello there")
  expect(greeted.headers.get("x-rtr-selected-decision")).toBe("greet")
  expect(await greeted.json()).toMatchObject({ choices: [{ message: { content: "hello" } }] })
  expect(await (await ask("hello again", { stream: true })).text()).toMatch(/one .*four.*\[DONE\]/s)
  const shouted = await ask("WHY IS IT DOWN")
  expect(shouted.headers.get("x-rtr-selected-decision")).toBe("calm-down")
  expect(await shouted.json()).toMatchObject({ choices: [{ message: { content: "We hear you." } }] })
  expect((await fetch(`${url}/v1/models`)).status).toBe(401)
})

test("a module's state in the SQLite store outlives a Deno process", async () => {
  const backend = await startTestBackend()
  const folder = temporaryFolder()
  const visit = async ({ ask }: DenoKernel): Promise<unknown> => (await ask("visit")).json()
  const content = (text: string): object => ({ choices: [{ message: { content: text } }] })
  const first = await startDeno(backend, folder)
  expect([await visit(first), await visit(first)]).toMatchObject([content("visit 1"), content("visit 2")])
  // Two kernels share the file.
  const second = await startDeno(backend, folder)
  expect([await visit(second), await visit(first)]).toMatchObject([content("visit 3"), content("visit 4")])
  await first.stop()
  expect(await visit(second)).toMatchObject(content("visit 5"))
  await second.stop()
  expect(await visit(await startDeno(backend, folder))).toMatchObject(content("visit 6"))
  expect(backend.requests).toEqual([])
}, 60_000)

test("a module that cannot be loaded is named", async () => {
  const folder = temporaryFolder()
  const document = join(folder, "config.yaml")
  writeFileSync(document, 'version: v0.3\nmodules: ["./broken.ts"]')
  writeFileSync(join(folder, "broken.ts"), 'throw new Error("no rates")')
  await expect(startDeno(await startTestBackend(), folder, document)).rejects.toThrow(
    "Cannot load module ./broken.ts: no rates",
  )
})

describe("a kernel under Deno", () => {
  hostContract((backend) => startDeno(backend, temporaryFolder()))
})
