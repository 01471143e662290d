// Embeddings of a deployment: vectors that one of the router's own small models makes.

import {
  type Attempt,
  type Call,
  type CallRecord,
  type DeploymentStatus,
  type Inference,
  type InferenceAnswer,
  isRtrError,
  RtrError,
  type WholeReply,
} from "../../../kernel/index.ts"
import { jsonReply } from "../json-form.ts"
import { inputUsage } from "./backend-api.ts"
import type { EmbeddingsBody } from "./schemas.ts"

/** Texts of one call of a worker. Guards of other requests wait for no more than one of these calls. */
const textsOfCall = 16

/** Of all texts together: about 200,000 words. */
const maxCharacters = 1_000_000

/** What a character of the reply takes while it is written and sent. */
const bytesOfCharacter = 3

/** The deployment that a client means, by its name or by that of its built-in package. */
export function findDeployment(inference: Inference | undefined, model: string): DeploymentStatus | undefined {
  const deployments = inference?.status() ?? []
  return (
    deployments.find(({ name }) => name === model) ??
    // Another artifact is a folder, of which a client knows nothing.
    deployments.find(({ artifact }) => artifact === model && !artifact.includes("/"))
  )
}

/** Throws an `RtrError` for the first text that has no vector. */
export async function embedByDeployment(
  { name }: DeploymentStatus,
  body: EmbeddingsBody,
  { inference, call, record }: { readonly inference: Inference; readonly call: Call; readonly record: CallRecord },
): Promise<WholeReply> {
  const texts = textsOf(body)
  record.model = name
  record.path = "worker"
  const now = (): number => performance.now() - call.startedAt
  const attempt: Attempt = { model: name, backend: "worker", startMs: now() }
  record.attempts.push(attempt)
  const parts: string[] = []
  let tokens: number | undefined = 0
  // Not the request's id, which a client may choose to be that of another.
  const source = crypto.randomUUID()
  try {
    for (let start = 0; start < texts.length; start += textsOfCall) {
      const answers = await inference.bundle(
        texts.slice(start, start + textsOfCall).map((text) => ({
          kind: "embed",
          deployment: name,
          text,
          whole: true,
          ...(typeof body.dimensions === "number" && { dimensions: body.dimensions }),
        })),
        { deadlineMs: Math.max(1, call.upstreamTimeoutMs - now()), signal: call.signal, source },
      )
      for (const [offset, answer] of answers.entries()) {
        const { vector, counts } = vectorOf(answer, start + offset, body)
        tokens = tokens === undefined || counts === undefined ? undefined : tokens + counts.tokens
        const part = toItem(vector, start + offset, body)
        call.hold?.(part.length * bytesOfCharacter)
        parts.push(part)
      }
    }
    attempt.status = 200
  } catch (error) {
    attempt.error = isRtrError(error) ? error : new RtrError("internal_error", "Unexpected error")
    throw error
  } finally {
    attempt.endMs = now()
    if (tokens !== undefined && tokens > 0) attempt.usage = inputUsage(tokens)
  }
  // A worker that does not count leaves the client without.
  const usage = tokens === undefined ? "" : `,"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}`
  const model = JSON.stringify(body.model)
  return jsonReply(`{"object":"list","data":[${parts.join(",")}],"model":${model}${usage}}`)
}

function textsOf({ input }: EmbeddingsBody): readonly string[] {
  const texts = [input].flat()
  let characters = 0
  for (const [index, text] of texts.entries()) {
    const at = typeof input === "string" ? '"input"' : `input[${index}]`
    if (typeof text !== "string")
      throw refuse(`${at} must be a text: token ids are for models of backends, this one is a deployment`)
    if (text === "") throw refuse(`${at} must not be empty`)
    if (!text.isWellFormed()) throw refuse(`${at} holds a lone surrogate, which is not valid Unicode text`)
    characters += text.length
  }
  if (characters > maxCharacters)
    throw new RtrError(
      "request_too_large",
      `Cannot embed: "input" may have at most ${maxCharacters} characters in all, got ${characters}`,
    )
  return texts as readonly string[]
}

function vectorOf(
  answer: InferenceAnswer,
  index: number,
  { dimensions, model }: EmbeddingsBody,
): Extract<InferenceAnswer, { readonly kind: "embed" }> {
  if (answer.kind === "embed") return answer
  if (answer.kind !== "error")
    throw new RtrError("invalid_model_output", "Cannot embed: the worker answered something else")
  const { code } = answer.error
  if (code === "max_length_exceeded")
    throw new RtrError(code, `Cannot embed: input[${index}] is longer than "${model}" reads`)
  if (code === "invalid_request" && typeof dimensions === "number")
    throw refuse(`"${model}" has no vectors of ${dimensions} dimensions`)
  throw answer.error
}

/** One entry of `data`. */
function toItem(vector: Float32Array, index: number, { encoding_format: format }: EmbeddingsBody): string {
  const embedding = format === "base64" ? `"${toBase64(vector)}"` : `[${Array.from(vector, toShortest).join(",")}]`
  return `{"object":"embedding","index":${index},"embedding":${embedding}}`
}

/** Nine digits tell 32-bit floats apart; the other eight of a double mean nothing. */
const toShortest = (value: number): string => String(Number(value.toPrecision(9)))

/** The wire wants little-endian numbers, whatever the host has. */
function toBase64(vector: Float32Array): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4))
  vector.forEach((value, index) => view.setFloat32(index * 4, value, true))
  return btoa(String.fromCharCode(...new Uint8Array(view.buffer)))
}

const refuse = (reason: string): RtrError => new RtrError("invalid_request", `Cannot embed: ${reason}`)
