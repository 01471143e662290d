// Where permissions are checked: who sends a request, and whether an operation is open to them.

import { RtrError } from "../error.ts"
import type { ApiKey, ManagementToken } from "../types/plan.ts"
import type { Principal } from "../types/principal.ts"
import type { ListenerKind, OperationInfo } from "../types/route.ts"
import { ManagementError } from "./management-error.ts"

/** Keys of an inference listener; everybody may pass when there are none. */
export interface ListenerAccess {
  readonly kind: ListenerKind
  readonly name: string
  readonly apiKeys?: readonly ApiKey[]
  /** Tokens of the management listener; undefined when its authentication is off. */
  readonly tokens?: readonly ManagementToken[] | undefined
}

/**
 * Returns the check of one listener. It gives the principal, or throws `invalid_api_key` on an inference listener and
 * `UNAUTHORIZED`, `MANAGEMENT_AUTH_NOT_CONFIGURED` or `FORBIDDEN` on the management listener. A path that leads nowhere is
 * checked without an operation, so that a stranger does not learn which paths there are.
 */
export function createAuthorise(
  access: ListenerAccess,
): (headers: Headers, operation: Pick<OperationInfo, "permission" | "open"> | undefined) => Principal {
  const identify = createIdentify(access)
  const anonymous: Principal = { role: "anonymous", permissions: new Set(), name: "anonymous" }
  return (headers, operation) => {
    if (operation?.open?.includes(access.kind) === true) return anonymous
    const principal = identify(headers)
    if (operation !== undefined && principal.permissions?.has(operation.permission) === false)
      throw new ManagementError(
        403,
        "FORBIDDEN",
        `The role "${principal.role}" lacks the permission ${operation.permission}`,
      )
    return principal
  }
}

function createIdentify({ kind, name, apiKeys = [], tokens }: ListenerAccess): (headers: Headers) => Principal {
  if (kind === "inference") return createKeyCheck(name, apiKeys)
  return kind === "management" && tokens !== undefined ? createTokenCheck(tokens) : () => administrator
}

const administrator: Principal = { role: "admin", permissions: undefined, name: "anonymous" }

/** Takes a key as `Authorization: Bearer`, `api-key` or `x-api-key`. The keys are all that an inference listener asks for. */
function createKeyCheck(listener: string, apiKeys: readonly ApiKey[]): (headers: Headers) => Principal {
  const client: Principal = { role: "client", permissions: undefined, name: listener }
  if (apiKeys.length === 0) return () => client
  // One for each key: clients have their shares of the memory by it.
  const clients = apiKeys.map(({ name }): Principal => ({ ...client, name, key: name }))
  const isKnown = createSecretCheck(apiKeys.map(({ key }) => key))
  return (headers) => {
    const authorization = headers.get("authorization")
    const sent =
      (authorization === null ? undefined : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]) ??
      headers.get("api-key") ??
      headers.get("x-api-key")
    const known = clients[isKnown(sent)]
    if (known === undefined) throw new RtrError("invalid_api_key", "Unauthorized: missing or invalid API key")
    return known
  }
}

function createTokenCheck(tokens: readonly ManagementToken[]): (headers: Headers) => Principal {
  const isKnown = createSecretCheck(tokens.map(({ token }) => token))
  return (headers) => {
    if (tokens.length === 0)
      throw new ManagementError(
        401,
        "MANAGEMENT_AUTH_NOT_CONFIGURED",
        "The management API asks for a token, and none is configured",
      )
    const authorization = headers.get("authorization")
    const sent = authorization?.startsWith("Bearer ") === true ? authorization.slice(7).trim() : undefined
    const token = tokens[isKnown(sent)]
    if (token === undefined) throw new ManagementError(401, "UNAUTHORIZED", "Missing or invalid token")
    return token.principal
  }
}

/** The position of the secret that was sent, or -1. Every secret is compared, so that the time does not tell which one was close. */
function createSecretCheck(secrets: readonly string[]): (sent: string | null | undefined) => number {
  const encoder = new TextEncoder()
  const known = secrets.map((secret) => encoder.encode(secret))
  return (sent) => {
    const bytes = encoder.encode(sent ?? "")
    if (bytes.length === 0) return -1
    let found = -1
    known.forEach((secret, index) => {
      if (sameBytes(secret, bytes)) found = index
    })
    return found
  }
}

/** Takes the same time wherever the first difference stands. */
function sameBytes(known: Uint8Array, sent: Uint8Array): boolean {
  let difference = known.length ^ sent.length
  for (let index = 0; index < sent.length; index++)
    difference |= (known[index % known.length] ?? 0) ^ (sent[index] ?? 0)
  return difference === 0
}
