import { fork } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { emptyFolder } from "../fakes/hub.ts"

const source = join(import.meta.dirname, "../../ts/cli/launcher.ts")

/** A command that tells the signals it gets and then ends. */
function startCommand(environment: NodeJS.ProcessEnv): { ended: Promise<number | null> } {
  const script = join(emptyFolder(), "command.mjs")
  writeFileSync(
    script,
    `import { followLauncher } from ${JSON.stringify(source)}
    followLauncher()
    process.on("SIGTERM", () => process.exit(process.env.RTR_LAUNCHER === undefined ? 42 : 1))
    setInterval(() => {}, 1000)
    process.send("started")
    process.on("disconnect", () => setTimeout(() => process.exit(7), 500))`,
  )
  const child = fork(script, { env: { ...process.env, ...environment }, execArgv: [] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)))
  child.once("message", () => child.disconnect())
  return { ended }
}

test("a command whose launcher is gone is told to stop, and what it starts has no launcher", async () => {
  expect(await startCommand({ RTR_LAUNCHER: "1" }).ended).toBe(42)
})

test("a command that another program has forked decides for itself", async () => {
  expect(await startCommand({}).ended).toBe(7)
})
