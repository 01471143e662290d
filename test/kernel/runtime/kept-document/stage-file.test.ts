import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stageFile } from "../../../../ts/kernel/runtime/kept-document/stage-file.ts"
import { emptyFolder } from "../../../fakes/hub.ts"

test("a file is in its place when it is committed, in folders that are made, and with its mode", async () => {
  const folder = emptyFolder()
  const path = join(folder, "a", "b.json")
  const staged = await stageFile(path, "one")
  expect(existsSync(path)).toBe(false)
  await staged.commit()
  chmodSync(path, 0o600)
  await (await stageFile(path, "two")).commit()
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["two", 0o600])
  await (await stageFile(path, "three")).discard()
  expect([readFileSync(path, "utf8"), readdirSync(join(folder, "a"))]).toEqual(["two", ["b.json"]])
})

test("a link is followed", async () => {
  const folder = emptyFolder()
  const [target, link] = [join(folder, "target"), join(folder, "link")]
  writeFileSync(target, "one")
  symlinkSync(target, link)
  await (await stageFile(link, "two")).commit()
  expect([readFileSync(target, "utf8"), lstatSync(link).isSymbolicLink()]).toEqual(["two", true])
})

test("a folder that cannot be made is told without its place", async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, "file"), "")
  const failed = stageFile(join(folder, "file", "a.json"), "x")
  await expect(failed).rejects.toMatchObject({ managementCode: "CONFIG_PERSIST_ERROR", status: 500 })
  await expect(failed).rejects.not.toThrow(folder)
})
