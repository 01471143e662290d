import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { ownIdentity } from "../../ts/workers/process-identity.ts"
import { openSocketFolder } from "../../ts/workers/socket-folder.ts"
import { emptyFolder } from "../fakes/hub.ts"

const source = join(import.meta.dirname, "../../ts/workers/socket-folder.ts")

/** A router that has made its folder, in a process of its own. */
async function startOwner(parent: string): Promise<{ path: string; kill(): Promise<void> }> {
  const script = `const { openSocketFolder } = await import(${JSON.stringify(source)})
    console.log(openSocketFolder({ RTRUN_DIR: ${JSON.stringify(parent)} }, () => {}).path)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", 2] })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const kill = async (): Promise<void> => void (child.kill("SIGKILL"), await ended)
  onTestFinished(kill)
  const path = await new Promise<string>((resolve) =>
    child.stdout?.once("data", (line: Buffer) => resolve(String(line).trim())),
  )
  return { path, kill }
}

function open(parent: string): { path: string; events: readonly unknown[] } {
  const events: unknown[] = []
  const folder = openSocketFolder({ RTRUN_DIR: parent }, (level, event, fields) => events.push([level, event, fields]))
  onTestFinished(() => folder.remove())
  return { path: folder.path, events }
}

/** A folder as a router leaves it, whose owner is this process in another life. */
function left(parent: string, name = "rtr-abc123", owner: object = { ...ownIdentity(), start: "1" }): string {
  const path = join(parent, name)
  mkdirSync(path, { mode: 0o700 })
  writeFileSync(join(path, "owner.json"), JSON.stringify(owner))
  writeFileSync(join(path, "1-signals.sock"), "")
  writeFileSync(join(path, "1-signals.models.json"), "[]")
  return path
}

test("a folder is this user's alone and names its process", () => {
  const parent = emptyFolder()
  const { path, events } = open(parent)
  expect(JSON.parse(readFileSync(join(path, "owner.json"), "utf8"))).toEqual(ownIdentity())
  expect([readdirSync(parent).length, events]).toEqual([1, []])
})

test("the folder of a router that was killed is removed at the next start, that of a running one stays", async () => {
  const parent = emptyFolder()
  const [killed, running] = await Promise.all([startOwner(parent), startOwner(parent)])
  writeFileSync(join(killed.path, "1-signals.sock"), "")
  await killed.kill()
  const { events } = open(parent)
  expect([existsSync(killed.path), existsSync(running.path)]).toEqual([false, true])
  expect(events).toEqual([["info", "left_worker_folders_removed", { folder: parent, folders: 1 }]])
})

test("routers that start at the same time all start, and nothing is left", async () => {
  const parent = emptyFolder()
  const killed = await Promise.all([startOwner(parent), startOwner(parent)])
  for (const owner of killed) await owner.kill()
  const started = await Promise.all([startOwner(parent), startOwner(parent), startOwner(parent)])
  expect(readdirSync(parent).toSorted()).toEqual(started.map(({ path }) => path.split("/").at(-1)).toSorted())
})

test.skipIf(process.platform !== "linux")("a process id that was given to another process is no owner", () => {
  const parent = emptyFolder()
  const path = left(parent)
  open(parent)
  expect(existsSync(path)).toBe(false)
})

test("what is not certainly the folder of an ended router of this user stays", () => {
  const parent = emptyFolder()
  const dead = { ...ownIdentity(), pid: 2 ** 22 + 1 }
  const kept = {
    "another machine, boot or container": left(parent, "rtr-aaaaa1", { ...dead, space: "elsewhere" }),
    "another name": left(parent, "rtr-test-aaaaa2", dead),
    "no process": left(parent, "rtr-aaaaa3", { ...dead, pid: 0 }),
    "a process that runs": left(parent, "rtr-aaaaa4", ownIdentity()),
    "open to others": left(parent, "rtr-aaaaa5", dead),
    "with something else": left(parent, "rtr-aaaaa6", dead),
    "without an owner": join(parent, "rtr-aaaaa7"),
    "an owner that is half written": left(parent, "rtr-aaaaa8", dead),
  }
  chmodSync(kept["open to others"], 0o755)
  writeFileSync(join(kept["with something else"], "notes.txt"), "mine")
  mkdirSync(kept["without an owner"], { mode: 0o700 })
  writeFileSync(join(kept["an owner that is half written"], "owner.json"), '{"pid":')
  const target = left(emptyFolder(), "rtr-aaaaa9", dead)
  symlinkSync(target, join(parent, "rtr-aaaaa9"))
  const { events } = open(parent)
  for (const [why, path] of Object.entries(kept)) expect([why, existsSync(path)]).toEqual([why, true])
  expect(readdirSync(kept["with something else"])).toHaveLength(4)
  expect([existsSync(join(parent, "rtr-aaaaa9")), readdirSync(target).length, events]).toEqual([true, 3, []])
  // The same folder goes when nothing speaks for it.
  const gone = left(parent, "rtr-bbbbb1", dead)
  open(parent)
  expect(existsSync(gone)).toBe(false)
})
