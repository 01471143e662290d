import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { type FileWatch, watchFile } from "../../../ts/kernel/runtime/watch-file.ts"

let folder: string
let watching: FileWatch | undefined
let seen: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rtr-watch-"))
  seen = []
})
afterEach(() => {
  watching?.close()
  rmSync(folder, { recursive: true, force: true })
})

function watchPath(path: string, before: string): void {
  watching = watchFile(path, before, {
    onChange: (text) => seen.push(text),
    onUnreadable: ({ message }) => seen.push(message.includes("folder") ? "a folder" : message.slice(0, 16)),
    onReadable: () => seen.push("back"),
  })
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 250))

test("a file that is written in place or replaced by a rename is read once for each change", async () => {
  const path = join(folder, "config.yaml")
  writeFileSync(path, "one")
  watchPath(path, "one")
  writeFileSync(path, "two")
  await vi.waitFor(() => expect(seen).toEqual(["two"]))
  writeFileSync(join(folder, "config.yaml.new"), "three")
  renameSync(join(folder, "config.yaml.new"), path)
  await vi.waitFor(() => expect(seen).toEqual(["two", "three"]))
  unlinkSync(path)
  await quiet()
  writeFileSync(path, "four")
  await vi.waitFor(() => expect(seen).toEqual(["two", "three", "four"]))
})

test("several writes at once and other files of the folder are no changes of their own", async () => {
  const path = join(folder, "config.yaml")
  writeFileSync(path, "one")
  watchPath(path, "one")
  for (const text of ["a", "b", "c", "last"]) writeFileSync(path, text)
  writeFileSync(join(folder, "other.yaml"), "other")
  await vi.waitFor(() => expect(seen).toEqual(["last"]))
  writeFileSync(join(folder, "other.yaml"), "again")
  await quiet()
  expect(seen).toEqual(["last"])
})

test("a link that is pointed elsewhere, as Kubernetes does it, is a change", async () => {
  for (const name of ["1", "2"]) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, "config.yaml"), `document ${name}`)
  }
  symlinkSync("1", join(folder, "..data"))
  symlinkSync("..data/config.yaml", join(folder, "config.yaml"))
  watchPath(join(folder, "config.yaml"), "document 1")
  symlinkSync("2", join(folder, "..data_tmp"))
  renameSync(join(folder, "..data_tmp"), join(folder, "..data"))
  await vi.waitFor(() => expect(seen).toEqual(["document 2"]))
})

test("a file that stays away, or has a folder in its place, is told of once, and so is its return", async () => {
  const path = join(folder, "config.yaml")
  writeFileSync(path, "one")
  watchPath(path, "one")
  const busy = setInterval(() => writeFileSync(join(folder, "state.db"), String(Math.random())), 50)
  try {
    unlinkSync(path)
    await vi.waitFor(() => expect(seen).toEqual(["There is no file"]), 4000)
    mkdirSync(path)
    await new Promise((resolve) => setTimeout(resolve, 2500))
    rmSync(path, { recursive: true })
    expect(seen).toEqual(["There is no file"])
    writeFileSync(path, "one")
    await vi.waitFor(() => expect(seen).toEqual(["There is no file", "back"]), 4000)
    unlinkSync(path)
    mkdirSync(path)
    await vi.waitFor(() => expect(seen.slice(2)).toEqual(["a folder"]), 4000)
    rmSync(path, { recursive: true })
    writeFileSync(path, "two")
    await vi.waitFor(() => expect(seen.slice(3)).toEqual(["back", "two"]), 4000)
  } finally {
    clearInterval(busy)
  }
}, 20_000)

test("nothing is told after the watch is closed", async () => {
  const path = join(folder, "config.yaml")
  writeFileSync(path, "one")
  watchPath(path, "one")
  writeFileSync(path, "two")
  watching?.close()
  await quiet()
  expect(seen).toEqual([])
})

test("a folder in which something changes all the time does not hide the change", async () => {
  const path = join(folder, "config.yaml")
  writeFileSync(path, "one")
  watchPath(path, "one")
  const busy = setInterval(() => writeFileSync(join(folder, "state.db"), String(Math.random())), 20)
  try {
    writeFileSync(path, "two")
    await vi.waitFor(() => expect(seen).toEqual(["two"]), 3000)
  } finally {
    clearInterval(busy)
  }
})
