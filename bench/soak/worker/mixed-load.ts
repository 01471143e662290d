// Requests of every kind and length in turn, over texts that never come twice.

import { join } from "node:path"
import { type LoadResult, runLoad } from "../../_shared/load/closed-loop.ts"
import type { Address } from "../../_shared/load/address.ts"
import { prepareRequest, type RequestParts } from "../../_shared/load/prepared-request.ts"
import { repository } from "../../_shared/options.ts"
import { createTextMaker, mixedLengths, type TextMaker } from "../../inference/texts.ts"
import { packageFolder } from "../../inference/worker.ts"

/** What the load asks: the embedded package, and a fixture that answers typed questions. */
export const models: readonly string[] = [
  "signals",
  join(repository, "crates/rtrun-core/tests/fixtures/decisions/marker"),
]

export interface MixedLoad {
  readonly address: Address
  readonly connections: number
  readonly seconds: number
}

/** Makes a function that loads a worker for a time; each call goes on with new texts. */
export function createMixedLoad(): (load: MixedLoad) => Promise<LoadResult> {
  const next = createMixedRequests()
  return (load) => runLoad({ ...load, nextRequest: () => prepareRequest(next()) })
}

/** Makes a function that gives the next request, its kind and length in turn. */
export function createMixedRequests(): () => RequestParts {
  const texts = createTextMaker(packageFolder, 1)
  let count = 0
  return () => {
    const make = kinds[count % kinds.length] ?? classify
    return make(texts, mixedLengths[Math.floor(count++ / kinds.length) % mixedLengths.length] ?? 0)
  }
}

type MakeRequest = (texts: TextMaker, tokens: number) => RequestParts

const classify: MakeRequest = (texts, tokens) => ({
  path: "/v1/classify",
  body: { model: "signals", head: "domain", input: [texts.ofTokens(tokens), texts.ofTokens(16)] },
  expected: ['"results"'],
})

const embeddings: MakeRequest = (texts, tokens) => ({
  path: "/v1/embeddings",
  body: {
    model: "signals",
    input: [8, 16, tokens].map((length) => texts.ofTokens(length)),
    encoding_format: "base64",
  },
  expected: ['"embedding"'],
})

/** Up to four rows of one text. */
const windows: MakeRequest = (texts, tokens) => ({
  path: "/v1/classify",
  body: {
    model: "signals",
    head: "domain",
    input: texts.ofTokens(3 * tokens),
    options: { overflow: "window", window: { tokens: 256, overlap: 32 }, max_tokens: 1024 },
  },
  expected: ['"results"'],
})

const decisions: MakeRequest = (texts, tokens) => ({
  path: "/v1/decisions",
  body: {
    model: "marker",
    state: texts.ofTokens(Math.min(tokens, 48)),
    questions: {
      topic: { type: "choice", instructions: "What is it about?", criteria: { billing: null, other: null } },
      urgent: { type: "noul", instructions: "It is urgent." },
    },
    options: { overflow: "truncate" },
  },
  expected: ['"topic"', '"urgent"'],
})

const kinds: readonly MakeRequest[] = [classify, embeddings, windows, decisions]
