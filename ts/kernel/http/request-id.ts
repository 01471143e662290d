// The id under which a request stands in replies, logs and records.

let prefix: string | undefined
let count = 0

/** The client's own id when it is short and printable, otherwise a new one in the form of a UUID. */
export function requestIdOf(headers: Headers): string {
  const sent = headers.get("x-request-id")
  return sent !== null && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : createRequestId()
}

/**
 * Random per process and counted within it: asking `crypto` for each request would cost more than its routing headers.
 * The random part is made on first use, because edge hosts give no random values while a module loads.
 */
function createRequestId(): string {
  prefix ??= crypto.randomUUID().slice(0, 24)
  count += 1
  return prefix + count.toString(16).padStart(12, "0")
}
