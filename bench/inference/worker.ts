// The Rust worker, started as a user starts it, on a Unix socket.

import { request } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Address } from "../_shared/load/address.ts"
import { type BenchOptions, repository } from "../_shared/options.ts"
import { node, type ServerProcess, startServer } from "../_shared/server-process.ts"

/** The embedded package; the rivals use its weights too. */
export const packageFolder: string = join(repository, "models/signals")
export const modelName = "signals"

export interface Worker extends ServerProcess {
  readonly address: Address
  readonly card: ModelCard
}

export interface ModelCard {
  readonly heads: readonly HeadCard[]
  readonly question_types?: readonly string[]
  readonly model_sha256: string
  readonly limits: { readonly truncate_tokens: number }
  readonly golden: { readonly status: string }
  readonly profile_report?: { readonly served: string; readonly precision: string; readonly reason?: string }
}

export interface HeadCard {
  readonly name: string
  readonly labels: readonly string[]
  readonly default_threshold: number
  readonly thresholds?: Readonly<Record<string, number>>
}

export interface Served {
  /** A built-in name, or a folder. */
  readonly model: string
  readonly profile?: string
  readonly socketPath: string
}

/** Serves one model under `modelName`. Resolves when it is ready; rejects with the reason when it cannot be loaded. */
export async function startWorker(
  { rtrun, threads }: Pick<BenchOptions, "rtrun" | "threads">,
  { model, profile = "exact", socketPath }: Served,
): Promise<Worker> {
  const address = { path: socketPath }
  const server = await startServer({
    name: "rtrun",
    command: node,
    args: [rtrun, "serve", model, "--served-model-name", modelName, "--profile", profile, "--uds", socketPath].concat(
      "--threads",
      String(threads),
      "--load-attempts",
      "1",
      "--log-level",
      "error",
    ),
    address,
  })
  try {
    await waitUntilReady(address)
    const { body } = await ask(address, "GET", "/v1/models")
    const card = (body as { models: readonly ModelCard[] }).models[0]
    if (card === undefined) throw new Error("The worker lists no model")
    return { ...server, address, card }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function waitUntilReady(address: Address): Promise<void> {
  for (;;) {
    const { status, body } = await ask(address, "GET", "/health")
    if (status === 200) return
    const [model] = (body as { models: readonly { status: string; reason?: string }[] }).models
    if (model?.status === "failed")
      throw new Error(`The worker cannot load the model: ${model.reason ?? "it does not say why"}`)
    await sleep(20)
  }
}

export interface Embedded {
  readonly vectors: readonly Float32Array[]
  /** Undefined where the server does not count. */
  readonly tokens: number | undefined
}

export function embeddingsBody(texts: readonly string[]): object {
  // What the router asks for: the cheapest form for both sides.
  return { model: modelName, input: texts, encoding_format: "base64" }
}

/** Embeds through any server of the embeddings endpoint. */
export async function embed(address: Address, texts: readonly string[]): Promise<Embedded> {
  const { status, body } = await ask(address, "POST", "/v1/embeddings", embeddingsBody(texts))
  if (status !== 200) throw new Error(`Embedding failed with status ${status}: ${JSON.stringify(body)}`)
  const { data, usage } = body as {
    data: readonly { embedding: string }[]
    usage?: { prompt_tokens: number }
  }
  return { vectors: data.map(({ embedding }) => fromBase64(embedding)), tokens: usage?.prompt_tokens }
}

function fromBase64(text: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(text, "base64"))
  return new Float32Array(bytes.buffer)
}

/** One request; resolves with the parsed body, whatever the status. */
export function ask(
  address: Address,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const place = "path" in address ? { socketPath: address.path } : address
    const sent = request({ ...place, method, path, headers: { "content-type": "application/json" } }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => (text += piece))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }))
    })
    sent.on("error", reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
