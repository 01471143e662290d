// Finds the end of an HTTP/1.1 reply on a raw socket, with as little work as can be.

/** Reads one reply at a time; the caller sends the next request only after the last reply. */
export interface ReplyReader {
  /** Adds a piece of the connection. True when the reply is complete. Throws for a reply that is not understood. */
  push(piece: Buffer): boolean
  /** Forgets the reply, to read the next. */
  reset(): void
  /** Set once the first byte of the body has come. */
  readonly bodyStarted: boolean
  /** Of a complete reply. */
  status(): number
  header(name: string): string | undefined
  /** The body as it came, with chunk framing. */
  rawBody(): Buffer
}

const headEnd = Buffer.from("\r\n\r\n")
const lastChunk = Buffer.from("0\r\n\r\n")

export function createReplyReader(): ReplyReader {
  let pieces: Buffer[] = []
  let received = 0
  let bodyAt = -1
  /** Total bytes of the reply, or -1 when it is chunked. */
  let total = 0

  /** All bytes so far as one buffer, joined only when there is more than one piece. */
  const joined = (): Buffer => {
    if (pieces.length > 1) pieces = [Buffer.concat(pieces, received)]
    return pieces[0] ?? Buffer.alloc(0)
  }

  const readHead = (): void => {
    const bytes = joined()
    const end = bytes.indexOf(headEnd)
    if (end < 0) return
    bodyAt = end + headEnd.length
    const head = bytes.toString("latin1", 0, end).toLowerCase()
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1]
    if (length !== undefined) total = bodyAt + Number(length)
    else if (/\r\ntransfer-encoding: *chunked/.test(head)) total = -1
    else throw new Error("The reply has neither a length nor chunks")
  }

  /** The bodies here hold no line of a single 0, so the last chunk is where the bytes end with one. */
  const endsWithLastChunk = (): boolean => {
    if (received - bodyAt < lastChunk.length) return false
    const last = pieces.at(-1) as Buffer
    const bytes = last.length >= lastChunk.length ? last : joined()
    return bytes.subarray(bytes.length - lastChunk.length).equals(lastChunk)
  }

  return {
    push(piece) {
      pieces.push(piece)
      received += piece.length
      if (bodyAt < 0) readHead()
      if (bodyAt < 0) return false
      return total < 0 ? endsWithLastChunk() : received >= total
    },
    reset() {
      pieces = []
      received = 0
      bodyAt = -1
      total = 0
    },
    get bodyStarted() {
      return bodyAt >= 0 && received > bodyAt
    },
    status: () => Number(joined().toString("latin1", 9, 12)),
    header: (name) =>
      new RegExp(`\\r\\n${name}: *([^\\r]*)`, "i").exec(`\r\n${joined().toString("latin1", 0, bodyAt)}`)?.[1],
    rawBody: () => joined().subarray(bodyAt),
  }
}
