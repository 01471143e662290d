// The Rust worker, started as a user starts it, on a Unix socket.

import { request } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Address } from "../_shared/load/address.ts"
import { type BenchOptions, repository } from "../_shared/options.ts"
import { node, type ServerProcess, startServer } from "../_shared/server-process.ts"

/** The embedded package; the rivals use its weights too. */
export const packageFolder: string = join(repository, "models/minilm")
export const modelName = "minilm"

export interface Worker extends ServerProcess {
  readonly address: Address
  readonly card: ModelCard
}

export interface ModelCard {
  readonly heads: readonly { readonly name: string }[]
  readonly limits: { readonly truncate_tokens: number }
  readonly golden: { readonly status: string }
}

/** Resolves when the model is ready. */
export async function startWorker({ rtrun, threads }: BenchOptions, socketPath: string): Promise<Worker> {
  const address = { path: socketPath }
  const server = await startServer({
    name: "rtrun",
    command: node,
    args: [rtrun, "serve", modelName, "--uds", socketPath, "--threads", String(threads), "--log-level", "error"],
    address,
  })
  for (;;) {
    const { status } = await ask(socketPath, "GET", "/health")
    if (status === 200) break
    await sleep(20)
  }
  const { body } = await ask(socketPath, "GET", "/v1/models")
  const card = (body as { models: readonly ModelCard[] }).models[0]
  if (card === undefined) throw new Error("The worker lists no model")
  return { ...server, address, card }
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
export async function embed(socketPath: string, texts: readonly string[]): Promise<Embedded> {
  const { status, body } = await ask(socketPath, "POST", "/v1/embeddings", embeddingsBody(texts))
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

function ask(
  socketPath: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, method, path, headers: { "content-type": "application/json" } }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (piece: string) => (text += piece))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }))
    })
    sent.on("error", reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
