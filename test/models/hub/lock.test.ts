import { existsSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { emptyFolder } from "../../fakes/hub.ts"
import { withLock } from "../../../ts/models/hub/lock.ts"

test("work under one lock never overlaps, and the lock is gone afterwards", async () => {
  const file = join(emptyFolder(), "deep/lock")
  let inside = 0
  let most = 0
  const work = (): Promise<void> =>
    withLock(file, async () => {
      inside += 1
      most = Math.max(most, inside)
      await sleep(20)
      inside -= 1
    })
  await Promise.all([work(), work(), work(), work()])
  expect([most, existsSync(file)]).toEqual([1, false])
})

test("a failure frees the lock", async () => {
  const file = join(emptyFolder(), "lock")
  await expect(withLock(file, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed")
  expect(await withLock(file, async () => "again")).toBe("again")
})

test("a lock from another machine counts until it is a minute old", async () => {
  const file = join(emptyFolder(), "lock")
  writeFileSync(file, JSON.stringify({ process: 1, host: "elsewhere", id: "x" }))
  let waited = 0
  let done = false
  const work = withLock(
    file,
    async () => void (done = true),
    () => (waited += 1),
  )
  await sleep(400)
  expect([waited, done]).toEqual([1, false])
  const longAgo = new Date(Date.now() - 61_000)
  utimesSync(file, longAgo, longAgo)
  await work
  expect([waited, done]).toEqual([1, true])
})
