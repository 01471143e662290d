// What may stand in the headers of an upstream request.

/** Values of headers may be secret, so the message does not quote them. */
export const notSendable =
  "cannot be sent in a header: it has a line break, a character beyond ASCII, or a space at an end"

export const isHeaderValue = (value: string): boolean => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)

/** The transport's own and the router's: another value would break the message, or the count of the routers that it has passed. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-rtr-hops",
])

/** Whether a document may set a header of this name. */
export const isSettableHeader = (name: string): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !ownHeaders.has(name.toLowerCase())
