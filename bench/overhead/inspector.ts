// Takes a CPU profile of another Node process while it works, start-up left out.

import { setTimeout as sleep } from "node:timers/promises"

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** Microseconds between samples. */
  readonly timeDeltas: readonly number[]
}

const port = 19010
const samplingMicroseconds = 200

/** Arguments for the process that is to be profiled. */
export const inspectArguments: readonly string[] = [`--inspect=127.0.0.1:${port}`]

/** Profiles the process while `work` runs. */
export async function profileDuring(work: () => Promise<void>): Promise<CpuProfile> {
  const send = await connect()
  await send("Profiler.enable")
  await send("Profiler.setSamplingInterval", { interval: samplingMicroseconds })
  await send("Profiler.start")
  await work()
  const { profile } = (await send("Profiler.stop")) as { profile: CpuProfile }
  return profile
}

type Send = (method: string, params?: object) => Promise<unknown>

async function connect(): Promise<Send> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? "")
  const waiting = new Map<number, (result: unknown) => void>()
  socket.addEventListener("message", ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) waiting.get(id)?.(result)
  })
  while (socket.readyState === WebSocket.CONNECTING) await sleep(5)
  let last = 0
  return (method, params = {}) =>
    new Promise((resolve) => {
      const id = ++last
      waiting.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
}
