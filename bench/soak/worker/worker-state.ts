// What a running worker holds: memory by kind, and what it says of itself.

import { readFileSync } from "node:fs"
import { request } from "node:http"

export interface WorkerState {
  /** Resident memory, files that are mapped included. */
  readonly residentMib: number
  /** The part of it that no file backs: heaps, arenas, stacks. */
  readonly anonymousMib: number
  /** What its models take for their weights, as it says itself. */
  readonly weightsMib: number
  /** Requests that wait. */
  readonly queued: number
  /** How often a panic took a model out of service. */
  readonly restarts: number
}

export async function stateOf(pid: number, socketPath: string): Promise<WorkerState> {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const mib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024
  const metrics = await read(socketPath, "/metrics")
  return {
    residentMib: mib("VmRSS"),
    anonymousMib: mib("RssAnon"),
    weightsMib: sumOf(metrics, "rtrun_model_memory_bytes") / 2 ** 20,
    queued: sumOf(metrics, "rtrun_queue_depth"),
    restarts: sumOf(metrics, "rtrun_model_restarts_total"),
  }
}

function sumOf(exposition: string, name: string): number {
  const lines = exposition.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0)
}

function read(socketPath: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => {
      let text = ""
      response.on("data", (piece: Buffer) => (text += piece.toString()))
      response.on("end", () => resolve(text))
    })
      .on("error", reject)
      .end()
  })
}
