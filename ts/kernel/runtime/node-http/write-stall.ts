// Ends connections whose client does not read, which would keep their backend's connection and their memory.

import type { Socket } from "node:net"

/** How much of its writes a connection has handed over, and since when. */
interface Progress {
  readonly taken: number
  readonly since: number
}

/**
 * Destroys each connection that has something to send and whose client takes none of it for `stallMs`. Looks at all of them at
 * once, so that a request pays nothing for it. Returns what ends the watch.
 */
export function watchWrites(sockets: ReadonlySet<Socket>, stallMs: number): () => void {
  let waiting = new Map<Socket, Progress>()
  const look = (): void => {
    const now = performance.now()
    const still = new Map<Socket, Progress>()
    for (const socket of sockets) {
      if (socket.writableLength === 0) continue
      const taken = socket.bytesWritten - socket.writableLength
      const before = waiting.get(socket)
      if (before === undefined || before.taken !== taken) still.set(socket, { taken, since: now })
      else if (now - before.since >= stallMs) socket.destroy()
      else still.set(socket, before)
    }
    waiting = still
  }
  const timer = setInterval(look, stallMs / 4)
  timer.unref()
  return () => clearInterval(timer)
}
