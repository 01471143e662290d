// Starts `rtrun serve` alone, asks it over whatever it listens on, and looks at its process.

import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { type RunningCommand, startCommand, waitFor } from "./_processes.ts"

/** The folder of a fixture package of the worker. */
export const packageOf = (name: string): string =>
  join(import.meta.dirname, "../../crates/rtrun-core/tests/fixtures", ...name.split("/"))

export type WorkerAddress = { readonly host: string; readonly port: number } | { readonly socketPath: string }

export interface TestWorker extends RunningCommand {
  readonly pid: number
  readonly address: WorkerAddress
  /** Status and body of one request; rejects when the connection breaks. */
  ask(path: string, body?: object): Promise<{ status: number; text: string }>
  /** The sum of a metric over all its labels. */
  metric(name: string): Promise<number>
  /** Resident memory, in MiB. */
  memory(): number
  /** Sockets that the process holds open. */
  sockets(): number
}

/** Serves packages, and waits until they are ready. `listen` is `--port 0` unless it names a socket. */
export async function startWorker(
  models: readonly string[],
  options: readonly string[] = ["--port", "0"],
  environment: NodeJS.ProcessEnv = {},
): Promise<TestWorker> {
  const command = startCommand("rtrun", ["serve", ...models, "--log-level", "warning", ...options], environment)
  const found = (): string | undefined => /rtrun listens on (\S+)/.exec(command.stdout())?.[1]
  await waitFor(() => found() !== undefined || command.child.exitCode !== null, 30_000)
  const text = found()
  if (text === undefined) throw new Error(`The worker did not start:\n${command.stderr()}`)
  const pid = command.child.pid ?? 0
  const url = text.startsWith("http") ? new URL(text) : undefined
  const address = url === undefined ? { socketPath: text } : { host: url.hostname, port: Number(url.port) }
  const worker: TestWorker = {
    ...command,
    pid,
    address,
    ask: (path, body) => ask(address, path, body),
    metric: async (name) => sumOf(name, (await ask(address, "/metrics")).text),
    memory: () => Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
    sockets: () => readdirSync(`/proc/${pid}/fd`).filter((name) => isSocket(`/proc/${pid}/fd/${name}`)).length,
  }
  await waitFor(async () => (await worker.ask("/health")).status === 200, 30_000)
  return worker
}

/** One request on a connection of its own. */
export function ask(address: WorkerAddress, path: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const method = payload === undefined ? "GET" : "POST"
    const sent = request({ ...address, path, method, agent: false }, (response) => {
      let text = ""
      response.on("data", (piece: Buffer) => (text += piece.toString()))
      response.on("error", reject)
      // A body that breaks off ends without its last byte.
      response.on("close", () =>
        response.complete ? resolve({ status: response.statusCode ?? 0, text }) : reject(new Error("broken off")),
      )
    })
    sent.on("error", reject)
    sent.end(payload)
  })
}

function sumOf(name: string, exposition: string): number {
  const lines = exposition.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"))
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0)
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith("socket:")
  } catch {
    return false
  }
}
