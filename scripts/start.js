// The way in for every npm script: installs what is missing, builds what has changed, and hands over to the project's own Node.
// Plain JavaScript that runs on Node 20, because a fresh machine has nothing else yet.

import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { constants } from "node:os"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const projectNode = join(root, "node_modules/node/bin", process.platform === "win32" ? "node.exe" : "node")
const neededRust = [1, 95]

const [task = "build", ...args] = process.argv.slice(2)
const tasks = {
  build: () => 0,
  quickstart: () => handOver("scripts/quickstart.ts"),
  test: () => handOver("scripts/test.ts"),
  ready: () => handOver("scripts/ready.ts"),
  pack: () => handOver("scripts/pack.ts"),
}

if (!(task in tasks)) fail(`There is no task "${task}"; there are ${Object.keys(tasks).join(", ")}`)
await installPackages()
await buildAddon()
process.exitCode = await tasks[task]()

/** Installs node_modules when the lock file has changed since the last time. */
async function installPackages() {
  const stamp = join(root, "node_modules/.installed")
  const wanted = hashOf(["package.json", "package-lock.json"])
  if (readOr(stamp) === wanted) return
  // The library alone is wanted from this package; its install script downloads other things.
  await runWithProgress("Installing packages", "npm", ["ci", "--no-audit", "--no-fund"], {
    ONNXRUNTIME_NODE_INSTALL: "skip",
  })
  writeFileSync(stamp, wanted)
}

/** Compiles the Rust addon when its sources have changed since the last time. */
async function buildAddon() {
  const file = `rtrun.${process.platform}-${process.arch}.node`
  const target = join(root, "native", file)
  const stamp = `${target}.built`
  const wanted = hashOf(["Cargo.toml", "Cargo.lock", ...rustSources("crates")])
  if (existsSync(target) && readOr(stamp) === wanted) return
  checkRust()
  await runWithProgress(
    "Compiling the addon",
    "cargo",
    ["build", "--release", "--package", "rtrun-napi"],
    {},
    /^\s*Compiling /,
  )
  mkdirSync(dirname(target), { recursive: true })
  // Replaced by renaming: a process that has the old one mapped keeps it.
  copyFileSync(resolve(root, process.env.CARGO_TARGET_DIR ?? "target", "release", libraryName()), `${target}.new`)
  renameSync(`${target}.new`, target)
  writeFileSync(stamp, wanted)
}

function libraryName() {
  if (process.platform === "win32") return "rtrun_napi.dll"
  return process.platform === "darwin" ? "librtrun_napi.dylib" : "librtrun_napi.so"
}

function checkRust() {
  const { stdout, error } = spawnSync("cargo", ["--version"], { encoding: "utf8" })
  const [, major, minor] = /cargo (\d+)\.(\d+)/.exec(stdout ?? "") ?? []
  const enough = Number(major) > neededRust[0] || (Number(major) === neededRust[0] && Number(minor) >= neededRust[1])
  if (error !== undefined || !enough)
    fail(
      `The addon needs Rust ${neededRust.join(".")} or newer${major === undefined ? ", and cargo was not found" : `, this is ${major}.${minor}`}; install it from https://rustup.rs and run this again`,
    )
}

/** Runs a TypeScript file of this project on its own Node, with that Node first on the path for everything it starts. */
function handOver(script) {
  const env = { ...process.env, PATH: `${dirname(projectNode)}:${process.env.PATH ?? ""}` }
  return new Promise((settle) => {
    const child = spawn(projectNode, [join(root, script), ...args], { stdio: "inherit", cwd: root, env })
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
    child.on("exit", (code, signal) => settle(code ?? 128 + (constants.signals[signal] ?? 0)))
  })
}

/** Runs a command and shows how far it is; its own output appears only when it fails. */
async function runWithProgress(label, command, commandArgs, env, counted) {
  const startedAt = Date.now()
  const live = process.stderr.isTTY === true
  let count = 0
  let output = ""
  const show = (end) => {
    const seconds = Math.round((Date.now() - startedAt) / 1000)
    const line = `${label}${count > 0 ? `, ${count} units` : ""} … ${seconds} s`
    process.stderr.write(live ? `\r\x1b[K${line}${end ? "\n" : ""}` : `${line}\n`)
  }
  const timer = setInterval(show, live ? 500 : 15_000, false)
  show(false)
  const code = await new Promise((settle) => {
    const child = spawn(command, commandArgs, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    const read = (piece) => {
      const text = piece.toString()
      if (counted !== undefined) count += text.split("\n").filter((line) => counted.test(line)).length
      output = (output + text).slice(-20_000)
    }
    child.stdout.on("data", read)
    child.stderr.on("data", read)
    child.on("error", (error) => settle(error.message))
    child.on("close", settle)
  })
  clearInterval(timer)
  show(true)
  if (code !== 0) fail(`${output}\n${label} failed (${command} ${commandArgs.join(" ")}: ${code})`)
}

function rustSources(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) return entry.name === "tests" || entry.name === "benches" ? [] : rustSources(path)
      return /\.(rs|toml)$/.test(entry.name) ? [path] : []
    })
    .toSorted()
}

function hashOf(files) {
  const hash = createHash("sha256")
  for (const file of files)
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(join(root, file)))
      .update("\0")
  return hash.digest("hex")
}

function readOr(path) {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
