// Talks to the inspector of another Node process.

import { setTimeout as sleep } from "node:timers/promises"

export interface Inspector {
  /** Calls a method of the inspector's protocol. Rejects with the reason of a call that failed. */
  send(method: string, params?: object): Promise<unknown>
  close(): void
}

/** Arguments for the process that is to be inspected. */
export const inspectArguments = (port: number): readonly string[] => [`--inspect=127.0.0.1:${port}`]

export async function connectInspector(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "")
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (reason: Error) => void }>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Answer
    if (id === undefined) return
    if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(`The inspector refused: ${error.message}`))
    waiting.delete(id)
  })
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("The inspected process has ended"))
  })
  while (socket.readyState === WebSocket.CONNECTING) await sleep(5)
  let last = 0
  return {
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params }))
      }),
    close: () => socket.close(),
  }
}

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}
