import { once } from "node:events"
import { createServer } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { InferenceLease, WorkerPool } from "rtr/node"
import { expect, onTestFinished, test } from "vitest"
import { emptyFolder } from "../fakes/hub.ts"
import { startTestPool } from "../fakes/worker-pool.ts"

/** Endpoint of a worker that answers these bodies by path, and 404 for others; counts what it is asked. */
async function startWorker(
  bodies: Readonly<Record<string, unknown>>,
  path: string = join(emptyFolder(), "worker.sock"),
): Promise<{ endpoint: string; asked: string[]; stop: () => Promise<void> }> {
  const asked: string[] = []
  const server = createServer(({ url = "" }, response) => {
    asked.push(url)
    const body = bodies[url]
    response.writeHead(body === undefined ? 404 : 200)
    response.end(JSON.stringify(body))
  })
  server.listen(path)
  await once(server, "listening")
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(stop)
  return { endpoint: `unix://${path}`, asked, stop }
}

const health = { models: [{ id: "signals", status: "ready" }] }
const listed = (name: string) => ({
  data: [{ id: "signals", heads: [{ name, kind: "sequence", labels: ["benign", "jailbreak"] }] }],
})

const attach = (pool: WorkerPool, endpoint: string): InferenceLease =>
  pool.open([
    {
      name: "guard",
      endpoint,
      served_name: "signals",
      heads: [{ binding: "prompt_guard", deployment: "guard", head: "jailbrake", answers: "classes" }],
    },
  ])

test("a worker whose model lacks a bound head is not ready, says why and logs it once", async () => {
  const { pool, events } = startTestPool()
  const { endpoint } = await startWorker({ "/health": health, "/v1/models": listed("jailbreak") })
  const leases = [attach(pool, endpoint), attach(pool, endpoint)]
  const reason =
    'global.model_catalog.bindings.prompt_guard.head: "jailbrake" is not a head of deployment "guard" that answers with classes: there is "jailbreak" (did you mean "jailbreak"?)'
  for (const lease of leases) {
    await expect(lease.ready()).rejects.toThrow(reason)
    expect(lease.inference.status()).toEqual([
      { name: "guard", artifact: endpoint, process: "attached", state: "failed", ready: false, restarts: 0, reason },
    ])
  }
  // What is reported again later is not logged again.
  await pool.open([]).release()
  expect(events).toEqual([{ level: "error", event: "model_deployment_failed", deployment: "guard", reason }])
})

test("a worker that has the head, and one that does not tell its models, are ready", async () => {
  const { pool } = startTestPool()
  for (const bodies of [{ "/health": health, "/v1/models": listed("jailbrake") }, { "/health": health }]) {
    const lease = attach(pool, (await startWorker(bodies)).endpoint)
    await lease.ready()
    expect(lease.inference.status()).toMatchObject([{ ready: true, state: "ready" }])
  }
})

test("a worker is asked how it is while a lease uses it, once for all leases", async () => {
  const { pool } = startTestPool()
  const loading = { "/health": { models: [{ id: "signals", status: "loading" }] } }
  const { endpoint, asked } = await startWorker(loading)
  const leases = [attach(pool, endpoint), attach(pool, endpoint)]
  while (leases.some(({ inference }) => inference.status()[0]?.state !== "loading")) await sleep(5)
  expect(asked).toHaveLength(1)
  await leases[0]?.release()
  while (asked.length < 2) await sleep(20)
  await leases[1]?.release()
  const before = asked.length
  await sleep(700)
  expect(asked).toHaveLength(before)
})

test("a worker that does not answer is told of once, with its endpoint", async () => {
  const { pool, events } = startTestPool()
  const endpoint = `unix://${join(emptyFolder(), "nobody.sock")}`
  attach(pool, endpoint)

  await sleep(4500)

  expect(events).toEqual([
    {
      level: "warning",
      event: "waiting_for_attached_worker",
      endpoint,
      served_name: "signals",
      found: "no worker answers: its socket does not exist",
    },
  ])
})

test("a worker that is lost is told of once with the reason, and once when it is back", async () => {
  const { pool, events } = startTestPool()
  const path = join(emptyFolder(), "worker.sock")
  const endpoint = `unix://${path}`
  const first = await startWorker({ "/health": health }, path)
  const lease = attach(pool, endpoint)
  await lease.ready()
  const ready = { name: "guard", artifact: endpoint, process: "attached", state: "ready", ready: true, restarts: 0 }
  expect(lease.inference.status()).toEqual([ready])

  await first.stop()
  await expect.poll(() => events.length, { timeout: 8000 }).toBe(1)
  const reason = "no worker answers: its socket does not exist"
  expect(lease.inference.status()).toEqual([{ ...ready, state: "degraded", ready: false, reason }])
  // It is asked again and again, and told of once.
  await sleep(1200)
  await startWorker({ "/health": health }, path)
  await expect.poll(() => lease.inference.status(), { timeout: 3000 }).toEqual([ready])
  expect(events).toEqual([
    { level: "warning", event: "attached_worker_lost", endpoint, served_name: "signals", found: reason },
    { level: "info", event: "attached_worker_ready", endpoint, served_name: "signals" },
  ])
}, 20_000)

test("a worker that does not serve the model says so in the status", async () => {
  const { pool } = startTestPool()
  const { endpoint } = await startWorker({ "/health": { models: [] } })
  const lease = attach(pool, endpoint)
  await expect
    .poll(() => lease.inference.status())
    .toMatchObject([{ state: "starting", ready: false, reason: "the worker serves no model of that name" }])
})
