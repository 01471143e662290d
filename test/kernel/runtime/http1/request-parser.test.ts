import { expect, test } from "vitest"
import { RefusedRequest, type RequestHead, RequestParser } from "../../../../ts/kernel/runtime/http1/request-parser.ts"

interface Read {
  readonly heads: readonly RequestHead[]
  readonly bodies: readonly string[]
  /** The status with which the connection is refused, or the text of the error. */
  readonly refused: unknown
}

/** Reads whole requests as a connection does; the text comes in pieces of `size` bytes. */
function readAll(text: string, size = text.length): Read {
  const heads: RequestHead[] = []
  const bodies: string[] = []
  let body = ""
  const parser = new RequestParser(
    {
      onHead: (head) => void heads.push(head),
      onBody: (piece) => (body += Buffer.from(piece).toString("latin1")),
      onEnd: () => {
        bodies.push(body)
        body = ""
      },
    },
    1000,
  )
  try {
    for (let at = 0; at < text.length; at += size) {
      let rest = Buffer.from(text.slice(at, at + size), "latin1")
      while (rest.length > 0) {
        rest = rest.subarray(parser.read(rest))
        if (parser.complete) parser.next()
      }
    }
  } catch (error) {
    return { heads, bodies, refused: error instanceof RefusedRequest ? error.status : (error as Error).message }
  }
  return { heads, bodies, refused: undefined }
}

const line = "POST /v1/x?y=1 HTTP/1.1\r\nHost: rtr:80\r\n"

test("requests are read one after another, in pieces of every size", () => {
  const text = [
    `${line}Content-Length: 5\r\nX-Own:  a b \r\nx-own: c\r\n\r\nhello`,
    "\r\nGET / HTTP/1.1\r\nhost: [::1]:8801\r\n\r\n",
    `${line}transfer-encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n00A\r\n0123456789\r\n0\r\nx-trailer: 1\r\n\r\n`,
    "GET http://other/path HTTP/1.0\r\nconnection: keep-alive\r\n\r\n",
  ].join("")
  for (let size = 1; size <= text.length; size++) {
    const { heads, bodies, refused } = readAll(text, size)
    expect([refused, bodies]).toEqual([undefined, ["hello", "", "abc0123456789", ""]])
    expect(
      heads.map(({ method, target, host, length, keepAlive, knowsChunks }) => [
        method,
        target,
        host,
        length,
        keepAlive,
        knowsChunks,
      ]),
    ).toEqual([
      ["POST", "/v1/x?y=1", "rtr:80", 5, true, true],
      ["GET", "/", "[::1]:8801", 0, true, true],
      ["POST", "/v1/x?y=1", "rtr:80", undefined, true, true],
      ["GET", "http://other/path", "", 0, true, false],
    ])
    expect(heads[0]?.headers).toEqual(["host", "rtr:80", "content-length", "5", "x-own", "a b", "x-own", "c"])
  }
})

test("connections stay or close as the client asks", () => {
  const keeps = (version: string, connection?: string): boolean | undefined =>
    readAll(
      `GET / HTTP/${version}\r\nhost: a\r\n${connection === undefined ? "" : `connection: ${connection}\r\n`}\r\n`,
    ).heads[0]?.keepAlive
  expect([
    keeps("1.1"),
    keeps("1.1", "keep-alive"),
    keeps("1.1", "TE, Close"),
    keeps("1.0"),
    keeps("1.0", "Keep-Alive"),
  ]).toEqual([true, true, false, false, true])
})

test.each<[why: string, text: string, refused: unknown]>([
  // Requests that two programs read in two ways.
  ["a length and chunks", `${line}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
  ["chunks and a length", `${line}transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n`, 400],
  ["two lengths", `${line}content-length: 5\r\ncontent-length: 6\r\n\r\n`, 400],
  ["one length twice", `${line}content-length: 5\r\ncontent-length: 5\r\n\r\n`, 400],
  ["a list of lengths", `${line}content-length: 5, 5\r\n\r\n`, "the content length is no number"],
  ["a length with a sign", `${line}content-length: +5\r\n\r\n`, "the content length is no number"],
  ["a length in hexadecimal", `${line}content-length: 0x5\r\n\r\n`, "the content length is no number"],
  ["no digits in the length", `${line}content-length: \r\n\r\n`, "the content length is no number"],
  ["a length past all numbers", `${line}content-length: ${"9".repeat(16)}\r\n\r\n`, "the content length is no number"],
  ["two encodings", `${line}transfer-encoding: gzip, chunked\r\n\r\n`, 400],
  ["one encoding twice", `${line}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n`, 400],
  [
    "an encoding that is not quite it",
    `${line}transfer-encoding: \x0bchunked\r\n\r\n`,
    "a header line is not well-formed",
  ],
  ["another encoding", `${line}transfer-encoding: identity\r\n\r\n`, 400],
  ["chunks in HTTP/1.0", "POST / HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n", 400],
  ["two hosts", `${line}host: other\r\n\r\n`, 400],
  ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
  ["a host with a path", "GET / HTTP/1.1\r\nhost: a/b\r\n\r\n", 400],
  ["a host with a user", "GET / HTTP/1.1\r\nhost: a@b\r\n\r\n", 400],
  // Heads that are not well-formed.
  ["a space before the colon", `${line}content-length : 5\r\n\r\n`, "a header line is not well-formed"],
  ["a folded line", `${line}x-own: a\r\n b\r\n\r\n`, "a header line is not well-formed"],
  ["a line feed alone", `${line}x-own: a\nx-other: b\r\n\r\n`, "a header line is not well-formed"],
  ["a carriage return alone", `${line}x-own: a\rb\r\n\r\n`, "a header line is not well-formed"],
  ["a NUL", `${line}x-own: a\0b\r\n\r\n`, "a header line is not well-formed"],
  ["a name that is none", `${line}x(own): a\r\n\r\n`, "a header line is not well-formed"],
  ["no name", `${line}: a\r\n\r\n`, "a header line is not well-formed"],
  ["no colon", `${line}x-own\r\n\r\n`, "a header line is not well-formed"],
  ["another version", "GET / HTTP/2.0\r\nhost: a\r\n\r\n", 400],
  ["no version", "GET /\r\nhost: a\r\n\r\n", 400],
  ["two spaces", "GET  / HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["another protocol", "\x16\x03\x01 hello\r\n\r\n", 400],
  ["a target of another kind", "GET rtr HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["a tunnel", "CONNECT a:443 HTTP/1.1\r\nhost: a\r\n\r\n", 400],
  ["an expectation", `${line}expect: 200-maybe\r\n\r\n`, 417],
  ["a head without end", `GET / HTTP/1.1\r\nx-own: ${"a".repeat(2000)}`, 431],
  ["a head that is too long", `GET / HTTP/1.1\r\nhost: a\r\nx-own: ${"a".repeat(2000)}\r\n\r\n`, 431],
  // Chunks.
  ["no size", `${line}transfer-encoding: chunked\r\n\r\n\r\n`, "a chunk has no size"],
  ["a size with a sign", `${line}transfer-encoding: chunked\r\n\r\n-1\r\n`, "a chunk has no size"],
  ["a size with a prefix", `${line}transfer-encoding: chunked\r\n\r\n0x1\r\n`, "the size of a chunk is no number"],
  ["a space behind the size", `${line}transfer-encoding: chunked\r\n\r\n1 \r\n`, "the size of a chunk is no number"],
  ["a size past all numbers", `${line}transfer-encoding: chunked\r\n\r\n${"f".repeat(14)}\r\n`, "a chunk is too large"],
  [
    "a chunk longer than its size",
    `${line}transfer-encoding: chunked\r\n\r\n1\r\nab\r\n`,
    "a chunk does not end where it says",
  ],
  ["a line feed behind the size", `${line}transfer-encoding: chunked\r\n\r\n1\na`, "the size of a chunk is no number"],
  [
    "a line feed behind the data",
    `${line}transfer-encoding: chunked\r\n\r\n1\r\na\n`,
    "a chunk does not end where it says",
  ],
  ["a line feed in an extension", `${line}transfer-encoding: chunked\r\n\r\n1;a\nb`, /extension/],
  ["extensions without end", `${line}transfer-encoding: chunked\r\n\r\n1;${"a".repeat(20_000)}`, /extension/],
  ["trailers without end", `${line}transfer-encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(20_000)}`, /trailer/],
])("%s is refused, in one piece and byte by byte", (_, text, refused) => {
  const wanted = refused instanceof RegExp ? (expect.stringMatching(refused) as unknown) : refused
  expect(readAll(text).refused).toEqual(wanted)
  expect(readAll(text, 1).refused).toEqual(wanted)
})
