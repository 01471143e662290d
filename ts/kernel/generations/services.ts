// What the modules of one generation may ask for, made of the router's own parts.

import type { Services } from "../modules/capabilities.ts"
import { RtrError } from "../error.ts"
import type { HttpClient } from "../types/capability.ts"
import { type ImageInput, type Inference, maxTasks } from "../types/inference.ts"
import type { StoreModule } from "../types/module.ts"
import type { OpenStore, StoreShape } from "../types/store.ts"
import type { Lease, SharedResources } from "./shared-resources.ts"

/** An open store with what its module says it offers. */
export interface NamedStore {
  readonly type: string
  readonly shapes: StoreModule["shapes"]
  readonly open: OpenStore
}

/** The store capabilities of one generation. Throws `invalid_config` when the store does not offer a shape. */
export function storeServices(store: NamedStore): Pick<Services, "kv" | "records" | "vectors"> {
  const offer = <Value>(shape: StoreShape, name: string, make: (() => Value) | undefined): Value => {
    if (make === undefined)
      throw new RtrError(
        "invalid_config",
        `Cannot set up ${name}: it needs a store of shape ${shape}, and store "${store.type}" offers only ${store.shapes.join(", ")}`,
        { path: ["global", "stores", "state", "type"] },
      )
    return make()
  }
  const { open } = store
  return {
    kv: (name) => offer("kv", name, open.kv && (() => open.kv?.(name) as never)),
    records: (name) => offer("records", name, open.records && (() => open.records?.(name) as never)),
    vectors: (name, dimensions) =>
      offer("vectors", name, open.vectors && (() => open.vectors?.(name, { dimensions }) as never)),
  }
}

/**
 * Vectors of fixed texts. Two generations with the same model and the same texts share them, so a changed rule elsewhere
 * does not warm them again. `keyOf` says what a deployment's vectors depend on.
 */
export function createEmbedAll(
  inference: Inference | undefined,
  resources: SharedResources,
  keyOf: (deployment: string) => string,
): { readonly embedAll: Services["embedAll"]; readonly leases: readonly Lease<unknown>[] } {
  const leases: Lease<unknown>[] = []
  return {
    leases,
    async embedAll(deployment, texts) {
      if (inference === undefined)
        throw new RtrError("invalid_config", "Cannot embed: this kernel has no inference; pass one to createKernel")
      const key = `vectors:${JSON.stringify([keyOf(deployment), texts])}`
      const lease = await resources.acquire(key, () => embed(inference, deployment, texts))
      leases.push(lease)
      return lease.value
    },
  }
}

async function embed(
  inference: Inference,
  deployment: string,
  texts: readonly (string | ImageInput)[],
): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = []
  for (let start = 0; start < texts.length; start += maxTasks) {
    const answers = await inference.bundle(
      texts.slice(start, start + maxTasks).map((text) => ({
        kind: "embed",
        deployment,
        ...(typeof text === "string" ? { text } : { text: "", ...text }),
      })),
    )
    for (const answer of answers) {
      if (answer.kind === "error") throw answer.error
      if (answer.kind !== "embed")
        throw new RtrError("invalid_model_output", `Cannot embed: deployment "${deployment}" answered something else`)
      vectors.push(answer.vector)
    }
  }
  return vectors
}

/** Outbound calls of modules. The library loads with the first call. */
export const httpClient: HttpClient = {
  async json(url, options = {}) {
    if (!URL.canParse(url)) throw new RtrError("invalid_request", "Cannot call a service: its address is not a URL")
    const { retries = 0, signal } = options
    for (let attempt = 0; ; attempt++) {
      try {
        return await callOnce(url, options)
      } catch (cause) {
        const { status } = cause as { readonly status?: number }
        const passes = status === undefined ? !isTimeout(cause) : retriedStatuses.has(status)
        if (attempt >= retries || !passes || signal?.aborted === true) throw toRtrError(cause, url)
        await new Promise((resolve) => setTimeout(resolve, retryMs * 2 ** attempt))
      }
    }
  },
}

/** Wait before the first further attempt; it doubles each time. */
const retryMs = 50
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504])

async function callOnce(
  url: string,
  { method, body, headers, timeoutMs = 10_000, signal }: NonNullable<Parameters<HttpClient["json"]>[1]>,
): Promise<unknown> {
  const { ofetch } = await import("ofetch")
  const late = AbortSignal.timeout(timeoutMs)
  return ofetch<unknown>(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    ...(body !== undefined && { body: body as Record<string, unknown> }),
    headers: { accept: "application/json", ...headers },
    // The library's own time-out has no effect beside a signal.
    signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    // The library counts a connection that broke as a status 500.
    retry: 0,
    redirect: "error",
  })
}

function isTimeout(cause: unknown): boolean {
  const { name, cause: inner } = cause as { readonly name?: string; readonly cause?: { readonly name?: string } }
  return name === "TimeoutError" || inner?.name === "TimeoutError"
}

function toRtrError(cause: unknown, url: string): RtrError {
  const { status } = cause as { readonly status?: number }
  const { host } = new URL(url)
  if (typeof status === "number")
    return new RtrError("upstream_error", `The service at ${host} answered with status ${status}`, { cause })
  if (isTimeout(cause))
    return new RtrError("upstream_timeout", `The service at ${host} did not answer in time`, { cause })
  return new RtrError("upstream_unavailable", `The service at ${host} cannot be reached`, { cause })
}
