// ONNX Runtime as a Python service uses it: a bare loop in one process, and FastAPI with uvicorn. Same graph, weights and threads.

import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { installPython } from "../_shared/install.ts"
import { installedVersion } from "../_shared/machine.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { startServer } from "../_shared/server-process.ts"
import type { Rival } from "./rival.ts"

/** Equal to the library that the worker loads, so that kernels do not differ. */
export const onnxRuntimeVersion: string = installedVersion("onnxruntime-node")
export const fastapiVersion = "0.163.2"
export const uvicornVersion = "0.54.0"

const requirements = [
  `fastapi==${fastapiVersion}`,
  `uvicorn[standard]==${uvicornVersion}`,
  `onnxruntime==${onnxRuntimeVersion}`,
  "onnx==1.23.2",
  "numpy==2.4.6",
  "safetensors==0.8.0",
  "tokenizers==0.23.3",
]

const scripts = join(import.meta.dirname, "python")

export interface PythonRivals {
  readonly loop: PythonLoop
  startServer(socketPath: string): Promise<Rival>
}

/** How the texts of one call become forwards. */
export type Plan = "padded" | "sorted"

export interface PythonLoop {
  embed(texts: readonly string[]): Promise<readonly (readonly number[])[]>
  /** Latencies of whole calls in milliseconds. */
  run(calls: readonly (readonly string[])[], plan: Plan, seconds: number): Promise<readonly number[]>
  close(): void
}

/** Installs what is missing, builds the graph, and starts the loop. */
export async function startPython(options: BenchOptions, packageFolder: string): Promise<PythonRivals> {
  const bin = await installPython(options.cache, "python", requirements)
  const python = join(bin, "python")
  const graph = join(options.cache, "graph/model.onnx")
  if (!existsSync(join(options.cache, "graph"))) mkdirSync(join(options.cache, "graph"))
  say("Building the graph from the package's weights")
  execFileSync(python, [join(scripts, "build_graph.py"), packageFolder, graph], { stdio: "inherit" })
  const env = {
    BENCH_PACKAGE: packageFolder,
    BENCH_GRAPH: graph,
    BENCH_THREADS: String(options.threads),
    BENCH_MAX_TOKENS: String(longestInput(packageFolder)),
    ORT_DISABLE_TELEMETRY: "1",
  }
  return {
    loop: startLoop(python, env),
    async startServer(socketPath) {
      const address = { path: socketPath }
      const server = await startServer({
        name: "FastAPI",
        command: join(bin, "uvicorn"),
        args: ["server:app", "--uds", socketPath, "--log-level", "warning"],
        cwd: scripts,
        env,
        address,
      })
      return { ...server, address }
    },
  }
}

/** What sentence-transformers would read of a text, in tokens. */
function longestInput(packageFolder: string): number {
  const settings = readFileSync(join(packageFolder, "sentence_bert_config.json"), "utf8")
  return (JSON.parse(settings) as { max_seq_length: number }).max_seq_length
}

function startLoop(python: string, env: Readonly<Record<string, string>>): PythonLoop {
  const child = spawn(python, [join(scripts, "loop.py")], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "inherit"],
  })
  const waiting: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = []
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)))
  child.on("exit", () => {
    for (const { reject } of waiting) reject(new Error("The Python loop ended"))
  })
  process.on("exit", () => child.kill("SIGKILL"))
  const ask = (command: object): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject })
      child.stdin.write(`${JSON.stringify(command)}\n`)
    })
  return {
    embed: async (texts) => (await ask({ embed: texts })) as number[][],
    run: async (calls, plan, seconds) => (await ask({ calls, plan, seconds })) as number[],
    close: () => child.stdin.end(),
  }
}
