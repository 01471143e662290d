// Reads counters of a worker over its Unix socket.

import { get } from "node:http"

export interface WorkerCounts {
  readonly forwards: number
  /** Texts that forwards read. */
  readonly rows: number
}

export async function readWorkerCounts(socketPath: string): Promise<WorkerCounts> {
  const text = await new Promise<string>((resolve, reject) => {
    get({ socketPath, path: "/metrics" }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => (body += piece))
      response.on("end", () => resolve(body))
    }).on("error", reject)
  })
  return { forwards: sum(text, "rtrun_forward_duration_seconds_count"), rows: sum(text, "rtrun_batch_rows_sum") }
}

/** Over all labels. */
function sum(text: string, name: string): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((total, line) => total + Number(line.split(" ").at(-1)), 0)
}
