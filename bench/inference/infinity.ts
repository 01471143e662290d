// infinity-emb, a Python server that gathers requests into batches: with PyTorch, and with ONNX Runtime through optimum.

import { execFileSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { installPython } from "../_shared/install.ts"
import { local } from "../_shared/load/address.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { startServer } from "../_shared/server-process.ts"
import { makePackage, plainPackage } from "./packages/package-folder.ts"
import { onnxRuntimeVersion } from "./python-rivals.ts"
import type { Rival } from "./rival.ts"
import { modelName } from "./worker.ts"

export const infinityVersion = "0.0.78"
export const torchVersion = "2.8.0"

const requirements = [
  `infinity-emb[server,torch,optimum]==${infinityVersion}`,
  `torch==${torchVersion}`,
  `onnxruntime==${onnxRuntimeVersion}`,
  "transformers==4.57.6",
  "sentence-transformers==3.4.1",
  "optimum==2.1.0",
  "optimum-onnx==0.1.0",
  "onnx==1.23.2",
  "numpy==1.26.4",
  "fastapi==0.165.0",
]

const ports = { torch: 19021, optimum: 19022 }

/** Starts a server for each engine that can be given so many threads. */
export async function startInfinity(options: BenchOptions): Promise<readonly Rival[]> {
  const bin = await installPython(options.cache, "infinity", requirements)
  const environment = {
    // Hugging Face's libraries, and infinity's own counting of its users, stay off the network.
    HF_HUB_OFFLINE: "1",
    DO_NOT_TRACK: "1",
    ORT_DISABLE_TELEMETRY: "1",
    OMP_NUM_THREADS: String(options.threads),
    // It keeps optimized graphs here.
    HF_HOME: join(options.cache, "infinity-home"),
  }
  const plain = plainPackage(options.cache)
  const start = async (engine: keyof typeof ports, folder: string, settings: readonly string[]): Promise<Rival> => {
    const address = local(ports[engine])
    const server = await startServer({
      name: `infinity-${engine}`,
      command: join(bin, "infinity_emb"),
      // Its ONNX side finds graphs of a local folder only when it stands in it.
      args: ["v2", "--model-id", ".", "--served-model-name", modelName, "--engine", engine, ...settings]
        .concat("--device", "cpu", "--dtype", "float32", "--pooling-method", "mean", "--no-vector-disk-cache")
        .concat("--host", address.host, "--port", String(address.port), "--url-prefix", "/v1", "--log-level", "error"),
      cwd: folder,
      env: environment,
      address,
    })
    return { ...server, address }
  }
  const torch = await start("torch", plain, [])
  if (options.threads !== availableParallelism()) {
    say("infinity-optimum is left out: it takes every processor, and --threads says otherwise")
    return [torch]
  }
  const graph = makePackage(options.cache, "infinity-graph", (folder) => {
    const task = ["--task", "feature-extraction", "--library", "transformers"]
    execFileSync(join(bin, "optimum-cli"), ["export", "onnx", "--model", plain, ...task, folder], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    })
  })
  return [torch, await start("optimum", graph, [])]
}
