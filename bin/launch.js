// Starts a command on a Node that can run it. Plain JavaScript for old versions: it only finds a newer Node and hands over.

import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as nodeModule from "node:module"
import { constants, homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const needed = [22, 18]

const isNewEnough = (version) => {
  const [major, minor] = version.split(".").map(Number)
  return major > needed[0] || (major === needed[0] && minor >= needed[1])
}

/** The Node that the dev dependency `node` installed, in this folder or one above it. */
const findNode = () => {
  for (let folder = root; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node")
    if (existsSync(candidate)) return candidate
    if (dirname(folder) === folder) return undefined
  }
}

/** Sources in a checkout run unbuilt; a package carries them bundled. */
const entryOf = (name) => [`ts/cli/${name}.ts`, `dist/cli/${name}.js`].map((file) => join(root, file)).find(existsSync)

/** Runs `rtr` or `rtrun` with the arguments of this process. */
export async function launch(name) {
  const entry = entryOf(name)
  if (entry === undefined) fail(`${name}: this package is incomplete; install it again`)
  if (isStartedByNpm()) followParent()
  if (isNewEnough(process.versions.node)) {
    // The worker writes nothing that its operator has not asked for.
    if (name === "rtr") keepCompiledCode()
    await import(pathToFileURL(entry).href)
    return
  }
  const node = findNode()
  if (node === undefined)
    fail(
      `${name} needs Node ${needed.join(".")} or newer, this is ${process.versions.node}; install a newer Node, or in a checkout run: npm install`,
    )
  const child = spawn(node, [...process.execArgv, entry, ...process.argv.slice(2)], {
    // The channel carries nothing: its end tells the command that this process is gone, however it ended (ts/cli/launcher.ts).
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, RTR_LAUNCHER: String(process.pid) },
  })
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => child.kill(signal))
  child.on("error", (error) => fail(`${name}: cannot start ${node}: ${error.message}`))
  child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

/** npm and npx start commands through a shell, and pass a signal to that shell alone. */
const isStartedByNpm = () =>
  (process.env.npm_command ?? process.env.npm_lifecycle_event) !== undefined && process.platform !== "win32"

/** Stops this process when the one that started it has ended. Elsewhere a command may outlive its shell, as under nohup. */
function followParent() {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, "SIGTERM")
  }, 500)
  timer.unref()
}

/**
 * Compiled code is kept for the next start, which takes a third less time with it. Not in the shared temporary folder, where
 * others could put code of theirs. Node goes on without it when it cannot write there or NODE_DISABLE_COMPILE_CACHE is set.
 */
function keepCompiledCode() {
  try {
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache")
    nodeModule.enableCompileCache(join(caches, "rtr/compiled"))
  } catch {
    // A user without a home folder.
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
