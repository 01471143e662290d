// Listener keys: who may use a listener at all.

import { RtrError } from "../error.ts"

export type KeyCheck = (headers: Headers) => void

/**
 * Returns a check that throws `invalid_api_key` unless the request carries one of the keys, as `Authorization: Bearer` or `api-key`.
 * Without keys everybody may pass.
 */
export function createKeyCheck(apiKeys: readonly string[]): KeyCheck {
  if (apiKeys.length === 0) return () => {}
  const encoder = new TextEncoder()
  const known = apiKeys.map((key) => encoder.encode(key))
  return (headers) => {
    const sent = bearer(headers.get("authorization")) ?? headers.get("api-key")
    const bytes = sent === null || sent === undefined ? undefined : encoder.encode(sent)
    // Every key is compared, so that the time taken does not tell which one was close.
    const matches = bytes !== undefined && known.reduce((found, key) => sameBytes(key, bytes) || found, false)
    if (!matches) throw new RtrError("invalid_api_key", "Unauthorized: missing or invalid API key")
  }
}

function bearer(header: string | null): string | undefined {
  return header === null ? undefined : /^bearer +(\S+)$/i.exec(header.trim())?.[1]
}

/** Takes the same time wherever the first difference stands. */
function sameBytes(known: Uint8Array, sent: Uint8Array): boolean {
  let difference = known.length ^ sent.length
  for (let index = 0; index < sent.length; index++)
    difference |= (known[index % known.length] ?? 0) ^ (sent[index] ?? 0)
  return difference === 0
}
