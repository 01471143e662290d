import { expect, test } from "vitest"
import { ReplyParser } from "../../../../ts/kernel/runtime/http1/reply-parser.ts"

interface Read {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
  readonly ended: boolean
  readonly reusable: boolean
}

/** Reads one reply that comes in pieces of `size` bytes. */
function read(text: string, size = text.length): Read {
  let [status, headers, body, ended]: [number, readonly string[], string, boolean] = [0, [], "", false]
  const parser = new ReplyParser({
    onHead: (...head) => ([status, headers] = head),
    onBody: (piece) => (body += Buffer.from(piece).toString("latin1")),
    onEnd: () => (ended = true),
  })
  for (let at = 0; at < text.length; at += size) parser.read(Buffer.from(text.slice(at, at + size), "latin1"))
  return { status, headers, body, ended, reusable: parser.reusable }
}

const ok = "HTTP/1.1 200 OK\r\n"

test.each<[what: string, text: string, wanted: Partial<Read>]>([
  [
    "a length",
    `${ok}Content-Length: 5\r\nX-Own: 1\r\n\r\nhello`,
    { body: "hello", headers: ["content-length", "5", "x-own", "1"] },
  ],
  ["a length of zero", `${ok}content-length: 0\r\n\r\n`, { body: "" }],
  ["chunks", `${ok}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n`, { body: "abcde" }],
  ["no reason", "HTTP/1.1 200 \r\ncontent-length: 0\r\n\r\n", { status: 200 }],
  ["no reason and no space", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", { status: 200 }],
  ["no content", "HTTP/1.1 204 No Content\r\n\r\n", { status: 204, body: "" }],
  [
    "informational answers before it",
    `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${ok}content-length: 1\r\n\r\na`,
    { status: 200, body: "a" },
  ],
  ["the connection's end", `${ok}\r\nhello`, { body: "hello", ended: false, reusable: false }],
  ["its last reply", `${ok}connection: close\r\ncontent-length: 0\r\n\r\n`, { reusable: false }],
  ["its last reply in a list", `${ok}connection: x, Close\r\ncontent-length: 0\r\n\r\n`, { reusable: false }],
  ["an old version", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", { reusable: false }],
  [
    "an old version that stays",
    "HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 0\r\n\r\n",
    { reusable: true },
  ],
])("a reply with %s is read in pieces of every size", (_, text, wanted) => {
  for (let size = 1; size <= text.length; size++)
    expect(read(text, size)).toMatchObject({ ended: true, reusable: true, ...wanted })
})

test.each<[what: string, text: string]>([
  ["a length and chunks", `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`],
  ["two lengths", `${ok}content-length: 5\r\ncontent-length: 5\r\n\r\n`],
  ["two encodings", `${ok}transfer-encoding: gzip, chunked\r\n\r\n`],
  ["a length that is no number", `${ok}content-length: 5x\r\n\r\n`],
  ["chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"],
  ["bytes behind its end", `${ok}content-length: 1\r\n\r\nab`],
  ["bytes behind its last chunk", `${ok}transfer-encoding: chunked\r\n\r\n0\r\n\r\nx`],
  ["another reply behind it", `${ok}content-length: 0\r\n\r\n${ok}`],
  ["a line feed alone", `${ok}x-own: a\nb: c\r\n\r\n`],
  ["a folded line", `${ok}x-own: a\r\n b\r\n\r\n`],
  ["a space before the colon", `${ok}content-length : 0\r\n\r\n`],
  ["a status of two digits", "HTTP/1.1 20 OK\r\n\r\n"],
  ["another protocol", "HTTP/2 200\r\n\r\n"],
  ["another protocol that has no end of headers", "SSH-2.0-OpenSSH\r\n"],
  ["a change of protocol", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n"],
  ["informational answers without end", "HTTP/1.1 100 Continue\r\n\r\n".repeat(17)],
  ["headers without end", `${ok}x-own: ${"a".repeat(70_000)}`],
])("a reply with %s is none, in one piece and byte by byte", (_, text) => {
  expect(() => read(text)).toThrow()
  expect(() => read(text, 1)).toThrow()
})
