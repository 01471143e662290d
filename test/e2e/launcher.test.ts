// How the router ends when something between it and its user ends: the launcher of an old Node, or the shell of npm.

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { providersOn, waitFor, writeDocument } from "./_processes.ts"

const command = join(import.meta.dirname, "../../bin/rtr.js")

/** A Node of this machine that is too old to run the router itself. */
const oldNode = ["/usr/bin/node", "/usr/local/bin/node"].find((path) => {
  if (!existsSync(path)) return false
  const [major = 0, minor = 0] = execFileSync(path, ["-p", "process.versions.node"], { encoding: "utf8" })
    .split(".")
    .map(Number)
  return major < 22 || (major === 22 && minor < 18)
})

function start(program: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
  const file = writeDocument({ providers: providersOn("127.0.0.1:1", "m") })
  const { npm_command: _, npm_lifecycle_event: __, ...inherited } = process.env
  const child = spawn(program, args, {
    env: { ...inherited, ...environment, CONFIG: file },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that nothing of it outlives the test.
    detached: true,
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece: Buffer) => (output += String(piece)))
  const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  onTestFinished(() => killGroup(child))
  return { child, output: () => output, exited, ready: () => waitFor(() => output.includes("\n  test "), 60_000) }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL")
  } catch {
    // All of it has ended.
  }
}

async function answers(output: string): Promise<boolean> {
  const url = /^ {2}test\s+(\S+)$/m.exec(output)?.[1]
  return fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
}

const serve = ["serve", "--metrics-port", "0", "--grace-seconds", "1"]

test.skipIf(oldNode === undefined).each(["SIGTERM", "SIGINT", "SIGKILL"] as const)(
  "%s to the launcher of an old Node stops the router",
  async (signal) => {
    const router = start("/bin/sh", ["-c", `exec ${oldNode} ${command} ${serve.join(" ")} --config "$CONFIG"`], {})
    await router.ready()
    expect(await answers(router.output())).toBe(true)
    router.child.kill(signal)
    expect(await router.exited).toBe(signal === "SIGKILL" ? null : 0)
    await waitFor(async () => !(await answers(router.output())), 10_000)
    await waitFor(() => router.output().includes('"event":"stopping"'), 10_000)
  },
)

test("the end of npm's shell stops the router", async () => {
  // The last command of the line keeps the shell, as npm's does.
  const line = `"${process.execPath}" "${command}" ${serve.join(" ")} --config "$CONFIG"; true`
  const router = start("/bin/sh", ["-c", line], { npm_command: "exec" })
  await router.ready()
  router.child.kill("SIGTERM")
  await router.exited
  await waitFor(async () => !(await answers(router.output())), 10_000)
  await waitFor(() => router.output().includes('"event":"stopping"'), 10_000)
})

test("the end of any other shell does not", async () => {
  const line = `"${process.execPath}" "${command}" ${serve.join(" ")} --config "$CONFIG"; true`
  const router = start("/bin/sh", ["-c", line], {})
  await router.ready()
  router.child.kill("SIGTERM")
  await router.exited
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect(await answers(router.output())).toBe(true)
})
