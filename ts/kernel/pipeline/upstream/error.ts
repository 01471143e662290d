// What errors of backends may say to clients.

import { isRtrError, RtrError } from "../../error.ts"

/** Says which model an error of the transport or the dialect is about. What it quotes of the backend may hold its key. */
export function upstreamError(error: unknown, model: string, secrets: readonly string[]): unknown {
  return isRtrError(error) && error.code !== "invalid_request"
    ? new RtrError(error.code, `No reply from model "${model}": ${withoutSecrets(error.message, secrets)}`, {
        cause: error,
      })
    : error
}

/** Some backends quote the key that they did not like. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[removed]"), text)
}
