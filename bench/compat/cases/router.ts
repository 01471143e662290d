// A router of one document with the real worker, the built-in packages and a backend that answers at once.

import { createRouter } from "../../../ts/kernel/kernel.ts"
import { sha256 } from "../../../ts/kernel/runtime/bare-kernel.ts"
import { readDocumentFile } from "../../../ts/kernel/runtime/document-files.ts"
import { loadBuiltins, loadRegistryFor } from "../../../ts/kernel/runtime/node-modules.ts"
import { readHeads } from "../../../ts/models/packages/read-heads.ts"
import { createPrometheusMetrics } from "../../../ts/node.ts"
import { createWorkerPool } from "../../../ts/workers/pool.ts"
import { createAnsweringTransport } from "../backend.ts"
import { type Outcome, readOutcome } from "./outcome.ts"

export interface CaseRouter {
  ask(prompt: string): Promise<Outcome>
  close(): Promise<void>
}

/** Rejects where the document cannot be served. */
export async function openRouter(text: string, source: string): Promise<CaseRouter> {
  const workers = createWorkerPool({ metrics: createPrometheusMetrics().metrics, environment: process.env })
  const router = createRouter({
    builtins: await loadBuiltins(),
    loadRegistry: loadRegistryFor,
    transport: createAnsweringTransport(),
    environment: () => ({}),
    hash: sha256,
    readHeads,
    readFile: readDocumentFile,
    // Where a prompt goes does not depend on what is missing around the call.
    missingParts: "allow",
    openInference: (deployments) => workers.open(deployments),
  })
  const close = async (): Promise<void> => {
    await router.close()
    await workers.close()
  }
  const outcome = await router.activate({ text, source, trigger: "start" })
  if (outcome.result === "rejected") {
    await close()
    throw outcome.error
  }
  router.setPhase("ready")
  return {
    async ask(prompt) {
      const response = await router.inference.fetch(
        new Request("http://localhost/v1/chat/completions", {
          method: "POST",
          headers: { "content-type": "application/json", "x-rtr-debug": "true" },
          body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: prompt }] }),
        }),
      )
      await response.text()
      return readOutcome(response)
    },
    close,
  }
}
