// A backend that writes whatever bytes a test says, on real sockets, and watches what becomes of its connections.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

/** One exchange: what the backend may do with the connection after it has the whole request. */
export interface Peer {
  /** Writes at once. Resolves when more may be written, or the connection is gone. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Sends the end of the connection behind what was written. */
  end(): void
  /** Resets the connection. */
  reset(): void
  readonly gone: boolean
}

export type Script = (peer: Peer) => void | Promise<void>

export interface RawBackend {
  readonly endpoint: string
  /** What the next requests get, and whether their connection may carry another one. */
  answer(script: Script, keepsOpen: boolean): void
  /** Connections in the middle of an exchange or behind a reply after which they have to be closed. */
  readonly spent: () => number
  /** Requests that came on such a connection. */
  readonly onSpent: () => number
  readonly requests: () => number
  close(): void
}

interface Open {
  busy: boolean
  spent: boolean
}

export async function startRawBackend(): Promise<RawBackend> {
  const open = new Map<Socket, Open>()
  let script: Script = () => {}
  let keepsOpen = false
  let onSpent = 0
  let requests = 0
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    const state: Open = { busy: false, spent: false }
    open.set(socket, state)
    let seen = ""
    const start = async (): Promise<void> => {
      requests += 1
      if (state.busy || state.spent) onSpent += 1
      state.busy = true
      const mayStayOpen = keepsOpen
      await script(peerOf(socket))
      state.busy = false
      state.spent = !mayStayOpen
    }
    socket.setNoDelay(true)
    socket.on("data", (piece: Buffer) => {
      seen += piece.toString("latin1")
      const head = seen.indexOf("\r\n\r\n")
      const length = Number(/content-length: (\d+)/i.exec(seen)?.[1] ?? 0)
      if (head < 0 || seen.length < head + 4 + length) return
      seen = seen.slice(head + 4 + length)
      void start()
    })
    socket.on("end", () => socket.end())
    socket.on("error", () => {})
    socket.on("close", () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    endpoint: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer(next, mayStayOpen) {
      script = next
      keepsOpen = mayStayOpen
    },
    spent: () => [...open.values()].filter(({ busy, spent }) => busy || spent).length,
    onSpent: () => onSpent,
    requests: () => requests,
    close() {
      for (const socket of open.keys()) socket.destroy()
      server.close()
    },
  }
}

function peerOf(socket: Socket): Peer {
  return {
    get gone() {
      return socket.destroyed || !socket.writable
    },
    write(bytes) {
      if (socket.destroyed || !socket.writable) return Promise.resolve()
      if (socket.write(bytes)) return Promise.resolve()
      return new Promise((resolve) => {
        const done = (): void => {
          socket.off("drain", done)
          socket.off("close", done)
          resolve()
        }
        socket.on("drain", done)
        socket.on("close", done)
      })
    },
    end: () => void socket.end(),
    reset: () => void socket.resetAndDestroy(),
  }
}
