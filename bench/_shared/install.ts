// Installs a rival once into the cache folder.

import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { say } from "./progress.ts"

/** Installs npm packages and returns their folder. `overrides` pins what they bring along. */
export async function installNpm(
  cache: string,
  name: string,
  dependencies: Readonly<Record<string, string>>,
  overrides: Readonly<Record<string, string>> = {},
): Promise<string> {
  return installOnce(cache, name, { dependencies, overrides }, async (folder) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies, overrides }))
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], folder)
  })
}

/** Makes a Python environment and returns the path of its `bin` folder. */
export async function installPython(cache: string, name: string, requirements: readonly string[]): Promise<string> {
  const folder = await installOnce(cache, name, requirements, async (target) => {
    await run("python3", ["-m", "venv", "venv"], target)
    await run(
      join(target, "venv/bin/pip"),
      ["install", "--quiet", "--disable-pip-version-check", ...requirements],
      target,
    )
  })
  return join(folder, "venv/bin")
}

async function installOnce(
  cache: string,
  name: string,
  wanted: unknown,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const folder = join(cache, name)
  const stamp = join(folder, ".installed")
  const hash = createHash("sha256").update(JSON.stringify(wanted)).digest("hex")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  say(`Installing ${name} into ${folder} (once)`)
  await install(folder)
  writeFileSync(stamp, hash)
  return folder
}

function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => (output = (output + piece.toString()).slice(-4000)))
    child.on("error", reject)
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`${command} ${args.join(" ")} failed (${code})\n${output}`)),
    )
  })
}
