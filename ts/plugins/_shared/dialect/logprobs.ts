// Log probabilities of tokens on the wires of OpenAI.

import type { JsonValue, TokenLogprob, WireObject } from "../../../kernel/index.ts"
import { isObject, isText, toList, withoutUndefined } from "./wire.ts"

type Token = Pick<TokenLogprob, "token" | "logprob">

export const readTokens = (values: JsonValue | undefined): readonly TokenLogprob[] =>
  toList(values).map((value) => ({
    ...readToken(value),
    top: toList(isObject(value) ? value["top_logprobs"] : undefined).map(readToken),
  }))

function readToken(value: JsonValue): Token {
  const { token, logprob } = isObject(value) ? value : {}
  return { token: isText(token) ? token : "", logprob: typeof logprob === "number" ? logprob : 0 }
}

/** Some events leave the bytes of the tokens out. */
export function writeTokens(logprobs: readonly TokenLogprob[], withBytes = true): readonly WireObject[] {
  const write = ({ token, logprob }: Token): WireObject =>
    withoutUndefined({ token, logprob, bytes: withBytes ? [...encoder.encode(token)] : undefined })
  return logprobs.map((entry) => ({ ...write(entry), top_logprobs: entry.top.map(write) }))
}

const encoder = new TextEncoder()
