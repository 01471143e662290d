// How a worker ends that is asked to: what runs is answered, and its socket is gone.

import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { temporaryFolder, waitFor } from "./_processes.ts"
import { startWorker } from "./_workers.ts"

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s lets a running request end, and leaves no socket",
  async (signal) => {
    const socket = join(temporaryFolder(), "made", "worker.sock")
    const worker = await startWorker(["signals"], ["--uds", socket])
    const input = Array.from({ length: 8 }, (_, index) => `${index} ${"some words ".repeat(100)}`)
    const reply = worker.ask("/v1/embeddings", { input })
    await waitFor(async () => (await worker.metric("rtrun_queue_depth")) > 0)

    process.kill(worker.pid, signal)
    // A launcher may pass on what the terminal has sent already.
    process.kill(worker.pid, signal)

    expect((await reply).status).toBe(200)
    expect(await worker.exited).toBe(0)
    expect(existsSync(socket)).toBe(false)
  },
)
