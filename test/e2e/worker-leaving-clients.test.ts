import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { waitFor } from "./_processes.ts"
import { startWorker, type TestWorker } from "./_workers.ts"

const clients = 10_000
const atOnce = 100

/** More than this is growth: less than two KiB for each client that left. */
const grownMib = 16

/** What a client has sent when it leaves, and how long it stays after that. */
const moments: readonly ((socket: Socket, body: string) => Promise<unknown>)[] = [
  async () => {},
  async (socket) => write(socket, "POST /v1/embeddings HT"),
  async (socket, body) => write(socket, head(body.length)),
  async (socket, body) => write(socket, head(body.length) + body.slice(0, body.length / 2)),
  async (socket, body) => write(socket, head(body.length) + body),
  async (socket, body) => {
    await write(socket, head(body.length) + body)
    await sleep(20)
  },
]

const head = (length: number): string =>
  `POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${length}\r\n\r\n`

const write = (socket: Socket, text: string): Promise<unknown> =>
  new Promise((resolve) => socket.write(text, () => resolve(undefined)))

/** No two clients ask about the same text, so that no cache answers. */
const bodyOf = (index: number): string =>
  JSON.stringify({
    input: Array.from({ length: 4 }, (_, at) => `client ${index} asks ${at}: ${"some words ".repeat(20)}`),
  })

/** Connects, sends as much as its turn says, and is gone: with a reset every other time. */
async function leave(worker: TestWorker, index: number): Promise<void> {
  const socket = connect({ ...(worker.address as { host: string; port: number }), noDelay: true })
  socket.on("error", () => {})
  await new Promise((resolve) => socket.once("connect", resolve).once("close", resolve))
  await moments[index % moments.length]?.(socket, bodyOf(index))
  if (Math.floor(index / moments.length) % 2 === 0) socket.destroy()
  else socket.resetAndDestroy()
}

async function leaveAll(worker: TestWorker, from: number, to: number): Promise<void> {
  let next = from
  const one = async (): Promise<void> => {
    while (next < to) await leave(worker, next++)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

async function isIdle(worker: TestWorker, sockets: number): Promise<boolean> {
  return (await worker.metric("rtrun_queue_depth")) === 0 && worker.sockets() <= sockets
}

test("ten thousand clients that leave at every moment leave nothing behind", async () => {
  const worker = await startWorker(["signals"])
  const reference = await worker.ask("/v1/embeddings", { input: "the same text before and after" })
  expect(reference.status).toBe(200)
  const sockets = worker.sockets()
  // The arenas of both lanes have their size after as many: which one grows when depends on who waits together.
  await leaveAll(worker, 0, clients)
  await waitFor(() => isIdle(worker, sockets), 20_000)
  const before = worker.memory()

  await leaveAll(worker, clients, 2 * clients)

  await waitFor(() => isIdle(worker, sockets), 20_000)
  expect(await worker.ask("/v1/embeddings", { input: "the same text before and after" })).toEqual(reference)
  expect((await worker.ask("/health")).status).toBe(200)
  expect(worker.memory() - before).toBeLessThan(grownMib)
  // They were really there: some had been read, and left while they waited.
  expect((await worker.ask("/metrics")).text).toMatch(/rtrun_requests_total\{[^}]*status="499"\} \d{3,}/)
}, 120_000)
