// Bundles a worker and runs it in workerd, the runtime of Cloudflare Workers, without Node's interfaces.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { onTestFinished } from "vitest"
import { bundleForEdge } from "../../bench/size/bundle.ts"
import { temporaryFolder, waitFor } from "./_processes.ts"

const workerd = createRequire(import.meta.url)("workerd") as {
  readonly default: string
  readonly compatibilityDate: string
}

/**
 * Serves a worker on a free port until the test ends. `config` becomes its binding CONFIG, a text as text and an object as JSON;
 * `secrets` become bindings of their own.
 */
export async function startWorkerd(
  entry: string,
  config: string | object,
  secrets: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string }> {
  const folder = temporaryFolder()
  const chunks = (await bundleForEdge(entry)).toSorted((a, b) => Number(b.isEntry) - Number(a.isEntry))
  for (const { fileName, code } of chunks) writeFileSync(join(folder, fileName), code)
  const value =
    typeof config === "string" ? `text = ${JSON.stringify(config)}` : `json = ${JSON.stringify(JSON.stringify(config))}`
  const bindings = Object.entries(secrets).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
  writeFileSync(
    join(folder, "workerd.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [
        (name = "main", worker = .worker),
        (name = "internet", network = (allow = ["public", "private", "local"])),
      ],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
    );
    const worker :Workerd.Worker = (
      modules = [${chunks.map(({ fileName }) => `(name = "${fileName}", esModule = embed "${fileName}")`).join(", ")}],
      bindings = [${[`(name = "CONFIG", ${value})`, ...bindings].join(", ")}],
      compatibilityDate = "${workerd.compatibilityDate}",
    );`,
  )
  // Its third stream tells the ports that it opened.
  const child = spawn(workerd.default, ["serve", "workerd.capnp", "--control-fd=3"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  })
  onTestFinished(async () => {
    child.kill("SIGKILL")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
  })
  let events = ""
  let output = ""
  const read = (stream: Readable, take: (text: string) => void): void =>
    void stream.on("data", (piece: Buffer) => take(piece.toString()))
  read(child.stdio[3] as Readable, (text) => (events += text))
  for (const stream of [child.stdout, child.stderr]) read(stream as Readable, (text) => (output += text))
  const portOf = (): string | undefined => /"socket":"http","port":(\d+)/.exec(events)?.[1]
  await waitFor(() => portOf() !== undefined || child.exitCode !== null, 30_000)
  const port = portOf()
  if (port === undefined) throw new Error(`workerd did not start:\n${output}`)
  onTestFinished(({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(output)
  })
  return { url: `http://127.0.0.1:${port}` }
}
