// Asks a worker over its Unix socket, with little work of its own: client and worker share the processors.

import { Agent, request } from "node:http"

export interface WorkerReply {
  readonly status: number
  /** Of a reply that is no JSON, nothing. */
  readonly body: Readonly<Record<string, unknown>>
  /** Phases of `Server-Timing` by name, in milliseconds. */
  readonly phases: Readonly<Record<string, number>>
  /** From sending the request to the end of the reply. */
  readonly latencyMs: number
}

export interface WorkerClient {
  /** Connections are kept, one for each request that is on its way. */
  ask(method: "GET" | "POST", path: string, body?: object): Promise<WorkerReply>
  close(): void
}

export function createWorkerClient(socketPath: string): WorkerClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  return {
    ask: (method, path, body) =>
      new Promise((resolve, reject) => {
        const payload = body === undefined ? undefined : JSON.stringify(body)
        const startedAt = performance.now()
        const headers = { "content-type": "application/json" }
        const sent = request({ agent, socketPath, method, path, headers }, (response) => {
          const pieces: Buffer[] = []
          response.on("data", (piece: Buffer) => pieces.push(piece))
          response.on("error", reject)
          response.on("end", () => {
            const latencyMs = performance.now() - startedAt
            const phases = readPhases(String(response.headers["server-timing"] ?? ""))
            resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(pieces)), phases, latencyMs })
          })
        })
        sent.on("error", reject)
        sent.end(payload)
      }),
    close: () => agent.destroy(),
  }
}

function readPhases(header: string): Readonly<Record<string, number>> {
  return Object.fromEntries([...header.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, name, ms]) => [name, Number(ms)]))
}

function parse(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(bytes.toString()) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}
