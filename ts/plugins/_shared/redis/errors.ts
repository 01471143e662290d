// What the server or the network says, and what to do about it.

import { isRtrError, RtrError } from "../../../kernel/index.ts"

/** First words of the server's errors. The rest of such an error may quote a command with what clients sent. */
const remedies: Readonly<Record<string, string>> = {
  NOAUTH: "it asks for a password; set password, or the one in the url",
  WRONGPASS: "username or password is wrong",
  NOPERM: "this user may not run these commands on keys with this prefix",
  OOM: "its memory is full; raise maxmemory, or lower the limits of what is kept",
  READONLY: "it is a replica, which takes no writes; name the primary",
  LOADING: "it reads its data from the disk; wait until it has",
  MISCONF: "it cannot write to its disk; see its log",
  BUSY: "it runs a script of somebody else that does not end",
  NOREPLICAS: "it has too few replicas to take a write",
  MASTERDOWN: "it is a replica without its primary; name the primary",
  CLUSTERDOWN: "its cluster is down",
  MOVED: "it is one of several nodes of a cluster; name a server that has all keys",
  NOPROTO: "it does not speak the protocol of Redis 6.2",
}

export function unavailable(shown: string, why: string, cause?: unknown): RtrError {
  return new RtrError("unavailable", `Cannot use the Redis server ${shown}: ${why}`, { cause })
}

/**
 * The word that begins an error of the server; undefined for an error of the network or of the client library. Before version 7
 * what stops a script stands behind the script's own error.
 */
export function serverWord(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { message } = error
  return (/^ERR Error running script .*?: -?([A-Z]{2,}) /.exec(message) ?? /^([A-Z]{2,})(?: |$)/.exec(message))?.[1]
}

/** Any error as an `RtrError` that names the server and never what was sent. */
export function toRedisError(error: unknown, shown: string): RtrError {
  if (isRtrError(error)) return error
  const word = serverWord(error)
  if (word !== undefined) return unavailable(shown, `it answers ${word}${after(remedies[word])}`, error)
  const { code } = error as { readonly code?: unknown }
  if (typeof code === "string") return unavailable(shown, `${code}${after(networkRemedies[code])}`, error)
  return unavailable(shown, "the connection ended", error)
}

const networkRemedies: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there; start the server, or correct the address",
  ENOTFOUND: "there is no such host; correct the address",
  EAI_AGAIN: "the name server does not answer",
  ENOENT: "there is no such socket file; start the server, or correct the path",
  EACCES: "this user may not open the socket file",
  DEPTH_ZERO_SELF_SIGNED_CERT: "it signed its certificate itself; name the certificate in NODE_EXTRA_CA_CERTS",
  SELF_SIGNED_CERT_IN_CHAIN: "nobody known signed its certificate; name who did in NODE_EXTRA_CA_CERTS",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "nobody known signed its certificate; name who did in NODE_EXTRA_CA_CERTS",
}

const after = (remedy: string | undefined): string => (remedy === undefined ? "" : `; ${remedy}`)
