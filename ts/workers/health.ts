// Reads the states of a worker's models, and once per start their heads.

import { isRtrError, type Transport } from "../kernel/index.ts"
import type { PackageHead } from "../kernel/runtime/node.ts"
import type { ModelState, WorkerAddress } from "./worker.ts"

/** Models of one worker by served name. */
export type Health = ReadonlyMap<string, ModelState>

/** Heads by model; a model that the worker lists without heads is left out. */
type ServedHeads = ReadonlyMap<string, readonly PackageHead[]>

const timeoutMs = 2000

export interface HealthReader {
  /** Resolves with undefined when the worker does not answer. Never rejects. */
  read(): Promise<Health | undefined>
  /** Why the newest `read` brought nothing, in words that quote no answer; undefined where it brought something. */
  readonly failure: string | undefined
  /** The process ended: the next one may have other heads. */
  forget(): void
}

/**
 * Reads `/health`, and `/v1/models` when a model has become ready: the heads of a loaded model do not change. With
 * `always` the heads are read at each poll, for a worker that may restart unseen.
 */
export function createHealthReader(
  transport: Transport,
  address: WorkerAddress,
  readHeads: "when ready" | "always",
): HealthReader {
  let heads: ServedHeads = new Map()
  let listed: ReadonlySet<string> = new Set()
  let failure: string | undefined
  return {
    get failure() {
      return failure
    },
    forget() {
      heads = new Map()
      listed = new Set()
    },
    async read() {
      const health = await readHealth(transport, address)
      failure = typeof health === "string" ? health : undefined
      if (typeof health === "string") return undefined
      const ready = [...health].flatMap(([name, { status }]) => (status === "ready" ? [name] : []))
      if (ready.some((name) => readHeads === "always" || !listed.has(name))) {
        const found = await readServedHeads(transport, address)
        // Without an answer the next poll reads them.
        if (found !== undefined) [heads, listed] = [found, new Set(ready)]
      } else listed = new Set(ready)
      return new Map(
        [...health].map(([name, state]) => {
          const own = listed.has(name) ? heads.get(name) : undefined
          return [name, own === undefined ? state : { ...state, heads: own }]
        }),
      )
    },
  }
}

/** The states, or why there are none. */
async function readHealth(transport: Transport, address: WorkerAddress): Promise<Health | string> {
  try {
    const { body } = await get(transport, address, "/health", 1_000_000)
    const { models = [] } = body as { models?: readonly ({ readonly id: string } & ModelState)[] }
    return new Map(
      models.map(({ id, status, reason }) => [id, { status, ...(reason !== undefined && { reason }) }] as const),
    )
  } catch (error) {
    return isRtrError(error) ? error.message : "its answer is not that of a worker"
  }
}

/** Undefined when the worker does not answer; empty for a worker that has no such list. */
async function readServedHeads(transport: Transport, address: WorkerAddress): Promise<ServedHeads | undefined> {
  try {
    const { status, body } = await get(transport, address, "/v1/models", 4_000_000)
    if (status === 404) return new Map()
    const { data } = body as { data: readonly { id: string; heads?: readonly PackageHead[] }[] }
    return new Map(data.flatMap(({ id, heads }) => (heads === undefined ? [] : [[id, heads] as const])))
  } catch {
    return undefined
  }
}

async function get(
  transport: Transport,
  { origin, socketPath }: WorkerAddress,
  path: string,
  maxBytes: number,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await transport.request({
    method: "GET",
    url: `${origin}${path}`,
    headers: {},
    headersTimeoutMs: timeoutMs,
    bodyTimeoutMs: timeoutMs,
    ...(socketPath !== undefined && { socketPath }),
  })
  const text = await response.text(maxBytes)
  return { status: response.status, body: response.status === 404 ? undefined : (JSON.parse(text) as unknown) }
}
