import { join } from "node:path"
import { expect, test } from "vitest"
import { createMixedLoad, models } from "../../bench/soak/worker/mixed-load.ts"
import { temporaryFolder } from "./_processes.ts"
import { startWorker } from "./_workers.ts"

test("half a minute of mixed load does not make a warm worker grow", async () => {
  const path = join(temporaryFolder(), "worker.sock")
  // A small cache is full when the worker is warm, so that its filling is no growth.
  const worker = await startWorker(models, ["--uds", path, "--result-cache-entries", "256"])
  const load = createMixedLoad()
  await load({ address: { path }, connections: 8, seconds: 10 })
  const warm = worker.memory()

  // Rejects at the first wrong reply.
  const { requests } = await load({ address: { path }, connections: 8, seconds: 20 })

  expect(requests).toBeGreaterThan(20)
  expect(await worker.metric("rtrun_queue_depth")).toBe(0)
  const weights = (await worker.metric("rtrun_model_memory_bytes")) / 2 ** 20
  expect(weights).toBeGreaterThan(10)
  expect(worker.memory() - warm).toBeLessThan(weights / 10)
}, 90_000)
