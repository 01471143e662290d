import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import sqlite from "../../ts/plugins/stores/sqlite.ts"

const root = join(import.meta.dirname, "../..")

test("the SQLite store keeps its contract under Deno, in a file that Node wrote", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rtr-deno-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, "store.db")
  const store = await sqlite.setup({ path }, { clock: Date.now })
  onTestFinished(() => store.close())
  await store.kv?.("node").set("a\0b", "written by Node")
  const { stdout } = await promisify(execFile)(
    join(root, "node_modules/.bin/deno"),
    ["run", "--no-prompt", `--allow-read`, `--allow-write=${folder}`, "test/e2e/fixtures/deno-store.ts", path],
    { cwd: root, env: { ...process.env, NO_COLOR: "1" } },
  )
  expect(stdout).toMatch(
    /^0 failed; read "written by Node"; Cannot use the store .*none: .*; the folder must exist, and this user must be able to write to it\n$/,
  )
  expect(await store.kv?.("deno").get("keys")).toMatchObject({ value: ["a\0b"] })
})
