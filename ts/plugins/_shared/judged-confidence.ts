// How sure somebody is of a reply who reads it: the model itself, or a verifier.

import { type ChatReply, type ChatRequest, type HttpClient, RtrError } from "../../kernel/index.ts"

/** The request that has a model judge its own reply. */
export function verifyRequest(request: ChatRequest, reply: ChatReply): ChatRequest {
  const question = `Judge the following answer to the conversation above. Answer with JSON only:
{"confidence": <number from 0 to 1 that says how likely the answer is correct and complete>, "reason": "<one sentence>"}

Answer:
${answerText(reply)}`
  return {
    ...request,
    turns: [...request.turns, { role: "user", blocks: [{ type: "text", text: question }] }],
    // Earlier turns may hold tool calls, which some backends accept only beside their tools.
    toolChoice: request.tools.length === 0 ? undefined : "none",
    generation: { temperature: 0, maxOutputTokens: 256 },
    output: undefined,
    reasoning: undefined,
    stream: false,
    extensions: {},
  }
}

/** The confidence in a model's judgement. Throws `upstream_error` for one that says none. */
export function judgedConfidence(judgement: ChatReply): number {
  const text = answerText(judgement)
  const json = text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)
  return confidenceIn(parsed(json), `The judgement of model "${judgement.model}"`)
}

/**
 * Asks a verifier, `POST <url>/verify` with question, answer and threshold. Rejects with an `RtrError` when it cannot be
 * reached or says no confidence.
 */
export async function verifierConfidence(
  http: HttpClient,
  options: {
    readonly url: string
    readonly timeoutMs: number
    readonly signal: AbortSignal
    readonly question: string
    readonly reply: ChatReply
    readonly threshold: number
  },
): Promise<number> {
  const { url, timeoutMs, signal, question, reply, threshold } = options
  const answer = await http.json(`${url.replace(/\/+$/, "")}/verify`, {
    method: "POST",
    body: { question, answer: answerText(reply), threshold },
    timeoutMs,
    signal,
  })
  return confidenceIn(answer, "The verifier's answer")
}

function confidenceIn(value: unknown, whose: string): number {
  const confidence = (value as { readonly confidence?: unknown } | null | undefined)?.confidence
  if (typeof confidence === "number" && confidence >= 0 && confidence <= 1) return confidence
  throw new RtrError("upstream_error", `${whose} has no confidence from 0 to 1`)
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** What a reply says, and which tools it calls. */
function answerText({ choices }: ChatReply): string {
  return (choices[0]?.blocks ?? [])
    .flatMap((block) =>
      block.type === "text" || block.type === "refusal"
        ? [block.text]
        : block.type === "tool_call"
          ? [`${block.name}(${block.arguments})`]
          : [],
    )
    .join("\n")
}
