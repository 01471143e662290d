// What a model is asked for: one text, by the first surface that it serves.

import { RtrError } from "rtr"
import type { ModelCard } from "./worker-process.ts"

export interface Surface {
  readonly path: string
  /** Of a request about this text. */
  body(text: string): object
  /** Tokens that the worker read, from the body of its reply. */
  tokens(reply: Readonly<Record<string, unknown>>): number
}

/** Embeddings, else reranking, else a head, else typed questions. Throws when the model serves none of them for texts. */
export function chooseSurface(card: ModelCard): Surface {
  const serves = (surface: string): boolean => card.surfaces.includes(surface)
  if (serves("embeddings")) return embeddings
  // Models that rerank serve their score as a head, too.
  if (serves("rerank")) return rerank
  if (serves("classify")) return classify(card)
  if (serves("decisions")) return decisions(card)
  throw new RtrError("not_supported", `Cannot measure the model: it serves ${card.surfaces.join(", ") || "nothing"}`)
}

const embeddings: Surface = {
  path: "/v1/embeddings",
  // What the router asks for: the cheapest form for both sides.
  body: (text) => ({ input: text, encoding_format: "base64" }),
  tokens: (reply) => usage(reply)["prompt_tokens"] ?? Number.NaN,
}

function classify({ heads }: ModelCard): Surface {
  const [head] = heads
  const input = (text: string): unknown => {
    if (head?.inputs.includes("text") === true) return text
    if (head?.inputs.includes("pair") === true) return [{ text, text_pair: "yes" }]
    return [{ context: text, question: "yes", answer: "no" }]
  }
  return {
    path: "/v1/classify",
    body: (text) => ({ head: head?.name, input: input(text), options: { overflow: "truncate" } }),
    tokens: inputTokens,
  }
}

const rerank: Surface = {
  path: "/v1/rerank",
  body: (text) => ({ query: "yes", documents: [text] }),
  tokens: (reply) => inputTokens(reply),
}

function decisions({ question_types: types }: ModelCard): Surface {
  const instructions = "It is a question."
  const question = types.includes("noul")
    ? { type: "noul", instructions }
    : { type: "choice", instructions, criteria: { yes: "it is", no: "it is not" } }
  return {
    path: "/v1/decisions",
    body: (text) => ({ state: text, questions: { it: question }, options: { overflow: "truncate" } }),
    tokens: inputTokens,
  }
}

const inputTokens = (reply: Readonly<Record<string, unknown>>): number => usage(reply)["input_tokens"] ?? Number.NaN

function usage(reply: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  return (reply["usage"] ?? {}) as Readonly<Record<string, number>>
}
