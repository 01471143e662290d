import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { temporaryFolder, waitFor } from "./_processes.ts"
import { ask, packageOf, startWorker } from "./_workers.ts"

const texts = Array.from({ length: 16 }, (_, index) => `hello world ${"fox ".repeat(index * 3)}${index}`)

test("a worker killed under load gives errors and no wrong answer, and its socket serves again at once", async () => {
  const socketPath = join(temporaryFolder(), "worker.sock")
  // Without a cache every request is computed, so that the kill meets forwards.
  const serve = (): ReturnType<typeof startWorker> =>
    startWorker([packageOf("embeddings")], ["--uds", socketPath, "--result-cache-entries", "0"])
  const first = await serve()
  const right: string[] = []
  for (const input of texts) right.push((await first.ask("/v1/embeddings", { input })).text)

  let killed = false
  let answered = { before: 0, after: 0 }
  let broken = 0
  const wrong: string[] = []
  const enough = new AbortController()
  const client = async (index: number): Promise<void> => {
    for (let at = index; !enough.signal.aborted; at = (at + 1) % texts.length) {
      const wasKilled = killed
      const reply = await ask({ socketPath }, "/v1/embeddings", { input: texts[at] }).catch(() => undefined)
      if (reply === undefined) {
        broken += 1
        await sleep(1)
      } else if (reply.status === 200 && reply.text === right[at]) {
        answered = wasKilled ? { ...answered, after: answered.after + 1 } : { ...answered, before: answered.before + 1 }
      } else if (reply.status !== 503) {
        // 503 is right while the model loads again.
        wrong.push(`${reply.status} ${reply.text.slice(0, 200)}`)
      }
    }
  }
  const clients = Array.from({ length: 32 }, (_, index) => client(index % texts.length))

  await waitFor(() => answered.before > 200)
  process.kill(first.pid, "SIGKILL")
  killed = true
  await first.exited
  const second = await serve()
  await waitFor(() => answered.after > 200)
  enough.abort()
  await Promise.all(clients)

  expect(wrong).toEqual([])
  expect(broken).toBeGreaterThan(0)
  expect(await second.metric("rtrun_queue_depth")).toBe(0)
  expect(second.stderr()).toBe("")
}, 60_000)
