import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand, temporaryFolder } from "./_processes.ts"

test("a command keeps its compiled code for the next start, and runs where it cannot", async () => {
  const folder = temporaryFolder()
  const version = async (environment: NodeJS.ProcessEnv): Promise<string> =>
    (await runCommand("rtr", ["--version"], { NODE_COMPILE_CACHE: "", ...environment })).stdout
  const said = await version({ XDG_CACHE_HOME: folder })
  expect(said).toMatch(/^rtr version: /)
  expect(readdirSync(join(folder, "rtr/compiled"), { recursive: true }).length).toBeGreaterThan(2)
  expect(await version({ XDG_CACHE_HOME: folder })).toBe(said)

  const blocked = join(folder, "blocked")
  writeFileSync(blocked, "a file")
  expect(await version({ XDG_CACHE_HOME: blocked })).toBe(said)
  const other = join(folder, "other")
  expect(await version({ XDG_CACHE_HOME: other, NODE_DISABLE_COMPILE_CACHE: "1" })).toBe(said)
  expect(existsSync(other)).toBe(false)
})
