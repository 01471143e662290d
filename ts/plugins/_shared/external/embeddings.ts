// Vectors by an endpoint of OpenAI's shape: `POST /embeddings` below a base URL.

import { type InferenceAnswer, RtrError, type Service, type ServiceHost } from "../../../kernel/index.ts"
import { postJson, wrongAnswer } from "./call.ts"

export interface EmbeddingEndpoint {
  readonly base_url: string
  readonly model: string
  readonly api_key_env?: string
  readonly timeout_seconds?: number
  readonly max_retries?: number
  readonly dimensions?: number
}

const usualSeconds = 10
const usualRetries = 2
const retryMs = 100
/** 32 vectors of 16,384 numbers, each written with twenty characters. */
const maxResponseBytes = 16 * 2 ** 20

/** `length` is that of the vectors, where the document says it. */
export function embeddingService(endpoint: EmbeddingEndpoint, length: number | undefined): Service {
  const { base_url: base, model, timeout_seconds: seconds, dimensions, max_retries: retries = usualRetries } = endpoint
  const timeoutMs = (seconds || usualSeconds) * 1000
  const who = `embedding endpoint of model "${model}"`
  const url = `${base.replace(/\/+$/, "")}/embeddings`
  const embed = async (texts: readonly string[], { transport, environment }: ServiceHost, signal: AbortSignal) => {
    const variable = endpoint.api_key_env
    return readVectors(
      who,
      await postJson(transport, {
        who,
        url,
        body: { model, input: texts, encoding_format: "float", ...(dimensions !== undefined && { dimensions }) },
        bearer: variable === undefined ? undefined : environment()[variable],
        timeoutMs,
        maxResponseBytes,
        signal,
      }),
      texts.length,
      dimensions ?? length,
    )
  }
  return {
    name: `embeddings:${model}@${base}${dimensions === undefined ? "" : `:${dimensions}`}`,
    key: JSON.stringify([endpoint, length]),
    timeoutMs,
    open: (host) => {
      const { api_key_env: variable } = endpoint
      if (variable !== undefined && (host.environment()[variable] ?? "") === "")
        throw new RtrError("invalid_config", `environment variable ${variable} is not set`, {
          path: ["global", "model_catalog", "embeddings", "semantic", "endpoint", "api_key_env"],
        })
      return {
        async answer(tasks, { signal }) {
          if (tasks.some((task) => task.kind === "embed" && task.image !== undefined))
            throw new RtrError("unsupported_surface", `The ${who} takes texts alone, no images`)
          if (tasks.some(({ kind }) => kind !== "embed"))
            throw new RtrError("unsupported_surface", `Cannot ask the ${who} anything but vectors`)
          const vectors = await again(retries, signal, () =>
            embed(
              tasks.map(({ text }) => text),
              host,
              signal,
            ),
          )
          return vectors.map((vector): InferenceAnswer => ({ kind: "embed", vector }))
        },
      }
    },
  }
}

/** Calls again where the service was away or had too much to do, for as long as somebody waits. */
async function again<Value>(retries: number, signal: AbortSignal, call: () => Promise<Value>): Promise<Value> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      const { code } = error as { readonly code?: string }
      const passes = code === "unavailable" || code === "overloaded" || code === "upstream_unavailable"
      if (attempt >= retries || !passes || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, retryMs * 2 ** attempt))
      if (signal.aborted) throw error
    }
  }
}

/** Vectors of length 1, in the order of the texts: similarities are their products. */
function readVectors(who: string, reply: unknown, count: number, length: number | undefined): readonly Float32Array[] {
  const { data } = (reply ?? {}) as { readonly data?: unknown }
  if (!Array.isArray(data) || data.length !== count) throw wrongAnswer(who, `it does not have ${count} vectors`)
  const vectors: Float32Array[] = []
  for (const [place, entry] of (
    data as readonly { readonly index?: unknown; readonly embedding?: unknown }[]
  ).entries()) {
    const { index = place, embedding } = entry ?? {}
    if (
      typeof index !== "number" ||
      !Number.isInteger(index) ||
      index < 0 ||
      index >= count ||
      vectors[index] !== undefined
    )
      throw wrongAnswer(who, "its vectors are not numbered")
    if (!Array.isArray(embedding) || embedding.length === 0 || !embedding.every((number) => Number.isFinite(number)))
      throw wrongAnswer(who, "a vector is no list of numbers")
    if (length !== undefined && embedding.length !== length)
      throw wrongAnswer(who, `its vectors have ${embedding.length} numbers instead of ${length}`)
    const norm = Math.hypot(...(embedding as number[]))
    if (!(norm > 0)) throw wrongAnswer(who, "a vector is zero")
    vectors[index] = Float32Array.from(embedding as number[], (number) => number / norm)
  }
  return vectors
}
