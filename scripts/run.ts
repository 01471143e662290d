// Runs one step of a script: shows its output, and ends everything when it fails.

import { spawn } from "node:child_process"
import { join } from "node:path"
import { styleText } from "node:util"

const root = join(import.meta.dirname, "..")

export async function run(label: string, command: string, args: readonly string[]): Promise<void> {
  const startedAt = performance.now()
  process.stdout.write(`${styleText("bold", `── ${label}`)}\n`)
  const code = await new Promise<number | string>((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit" })
    child.on("error", (error) => resolve(error.message))
    child.on("close", (exitCode, signal) => resolve(exitCode ?? signal ?? 1))
  })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (code === 0) {
    process.stdout.write(`   ${label}: done in ${seconds} s\n`)
    return
  }
  process.stderr.write(`${label} failed after ${seconds} s (${command} ${args.join(" ")}: ${code})\n`)
  process.exit(1)
}
