import { expect, test } from "vitest"
import { createSharedResources } from "../../../ts/kernel/generations/shared-resources.ts"

test("users of one key share a resource, and the last one closes it", async () => {
  const resources = createSharedResources()
  const closed: string[] = []
  const take = () =>
    resources.acquire(
      "store",
      async () => "made",
      (value) => void closed.push(value),
    )
  const [first, second] = await Promise.all([take(), take()])
  expect(first.value).toBe(second.value)
  await first.release()
  await first.release()
  expect(closed).toEqual([])
  await second.release()
  expect(closed).toEqual(["made"])
})

test("a resource that everybody has released is made anew", async () => {
  const resources = createSharedResources()
  let made = 0
  for (let round = 1; round <= 3; round++) {
    const lease = await resources.acquire("key", async () => ++made)
    expect(lease.value).toBe(round)
    await lease.release()
  }
})

test("a maker that fails fails for everybody who waits, and for nobody after them", async () => {
  const resources = createSharedResources()
  const failing = () => resources.acquire("key", async () => Promise.reject(new Error("down")))
  await expect(Promise.allSettled([failing(), failing()])).resolves.toMatchObject([
    { status: "rejected" },
    { status: "rejected" },
  ])
  await expect(resources.acquire("key", async () => "up")).resolves.toMatchObject({ value: "up" })
})
