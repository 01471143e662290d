// What backends do wrong, as data: the bytes that one sends, and what the client gets for them.

import { gzipSync } from "node:zlib"
import { setTimeout as sleep } from "node:timers/promises"
import type { Script } from "./_raw-backend.ts"

/** What a client has to get: in answer to a request for a whole reply, and to one for a stream. */
export type Expected =
  /** The body as it came, but for the routing metadata. */
  | { readonly whole: string }
  /** A stream that says this and is complete. */
  | { readonly said: string }
  /** These bytes and nothing else. */
  | { readonly bytes: Uint8Array }
  /** These bytes, then one error event. */
  | { readonly good: Uint8Array; readonly ends: string; readonly about?: RegExp }
  /** An error status. */
  | { readonly status: number; readonly code?: string; readonly about?: RegExp }

export interface Misbehaviour {
  readonly name: string
  readonly script: Script
  readonly json: Expected
  readonly stream: Expected
  /** Where it differs for a stream whose events somebody reads. */
  readonly read?: Expected
  /** The connection is as good as new behind it. */
  readonly keepsOpen: boolean
  /** It ends with the router's patience. */
  readonly stalls: boolean
}

type Bytes = string | Uint8Array
type Options = Partial<Pick<Misbehaviour, "keepsOpen" | "stalls">>

const encoder = new TextEncoder()
const bytesOf = (...parts: readonly Bytes[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part)))
const latin = (text: string): Uint8Array => Buffer.from(text, "latin1")

// ── outcomes ──

const refused = (about?: RegExp, code = "upstream_error", status = 502): Expected => ({
  status,
  code,
  ...(about !== undefined && { about }),
})
const unavailable = (about?: RegExp): Expected => refused(about, "upstream_unavailable", 503)
const late = refused(undefined, "upstream_timeout", 504)
const broken = (good: Bytes, about?: RegExp, ends = "upstream_error"): Expected => ({
  good: bytesOf(good),
  ends,
  ...(about !== undefined && { about }),
})
const passed = (...parts: readonly Bytes[]): Expected => ({ bytes: bytesOf(...parts) })

// ── polite parts ──

const message = (changes: object = {}): object => ({ role: "assistant", content: "hello there", ...changes })
const reply = (changes: object = {}): object => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: message(), finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  ...changes,
})
const politeText = JSON.stringify(reply())
const chunkWith = (changes: object): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...changes })}\n\n`
const chunk = (delta: unknown, more: object = {}): string =>
  chunkWith({ choices: [{ index: 0, delta, finish_reason: null, ...more }] })
const one = chunk({ role: "assistant", content: "one " })
const two = chunk({ content: "two " })
const stop = chunk({}, { finish_reason: "stop" })
const done = "data: [DONE]\n\n"

const head = (type: string, more: readonly string[] = [], status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${more.map((line) => `${line}\r\n`).join("")}\r\n`
const sized = (type: string, body: Bytes, more: readonly string[] = [], status = "200 OK"): Uint8Array =>
  bytesOf(head(type, [...more, `content-length: ${bytesOf(body).length}`], status), body)
const framed = (piece: Bytes): Uint8Array => bytesOf(`${bytesOf(piece).length.toString(16)}\r\n`, piece, "\r\n")
const lastChunk = "0\r\n\r\n"
const json = "application/json"
const events = "text/event-stream"
const eventHead = head(events, ["transfer-encoding: chunked"])
const jsonHead = head(json, ["transfer-encoding: chunked"])

// ── rows ──

const saidOnce: Expected = { said: "hello there" }
const asWhole = (text: string): Pick<Misbehaviour, "json" | "stream"> => ({ json: { whole: text }, stream: saidOnce })
const both = (expected: Expected): Pick<Misbehaviour, "json" | "stream"> => ({ json: expected, stream: expected })
const asEvents = (stream: Expected): Pick<Misbehaviour, "json" | "stream"> => ({
  json: refused(/asked for none/),
  stream,
})

type Outcome = Pick<Misbehaviour, "json" | "stream" | "read">
const row = (name: string, script: Script, outcome: Outcome, options: Options = {}): Misbehaviour => ({
  name,
  script,
  ...outcome,
  keepsOpen: options.keepsOpen ?? false,
  stalls: options.stalls ?? false,
})

/** These bytes, then the end of the connection. */
const sends = (name: string, bytes: Bytes, outcome: Outcome): Misbehaviour =>
  row(
    name,
    async (peer) => {
      await peer.write(bytes)
      peer.end()
    },
    outcome,
  )
/** These bytes, then a reset. */
const resets = (name: string, bytes: Bytes, outcome: Outcome): Misbehaviour =>
  row(
    name,
    async (peer) => {
      if (bytes.length > 0) await peer.write(bytes)
      await sleep(30)
      peer.reset()
    },
    outcome,
  )
/** These bytes, and nothing more. */
const hangs = (name: string, bytes: Bytes, outcome: Outcome): Misbehaviour =>
  row(name, (peer) => peer.write(bytes), outcome, { stalls: true })
/** These bytes, and the connection is ready for the next request. */
const stays = (name: string, bytes: Bytes, outcome: Outcome): Misbehaviour =>
  row(name, (peer) => peer.write(bytes), outcome, { keepsOpen: true })
/** A JSON body with a good frame. */
const body = (name: string, text: Bytes, outcome: Outcome, type = json): Misbehaviour =>
  stays(`reply: ${name}`, sized(type, text), outcome)
/** A stream of these bytes in one chunk, with a good frame. */
const stream = (name: string, text: Bytes, expected: Expected): Misbehaviour =>
  stays(`stream: ${name}`, bytesOf(eventHead, framed(text), lastChunk), asEvents(expected))
/** A stream of these pieces, each a chunk and a write of its own. */
const pieces = (name: string, parts: readonly Bytes[], expected: Expected): Misbehaviour =>
  row(
    name,
    async (peer) => {
      await peer.write(eventHead)
      for (const part of parts) {
        if (peer.gone) return
        await peer.write(framed(part))
        await sleep(1)
      }
      await peer.write(lastChunk)
    },
    asEvents(expected),
    { keepsOpen: true },
  )
/** An endless body: `next` until nobody takes it. */
const endless = (name: string, first: Bytes, next: Bytes, outcome: Outcome, pauseMs = 1): Misbehaviour =>
  row(
    name,
    async (peer) => {
      await peer.write(first)
      while (!peer.gone) {
        await peer.write(next)
        await sleep(pauseMs)
      }
    },
    outcome,
  )

const asIs = (text: string): Uint8Array => sized(json, text)

// ── what is no answer of HTTP/1.1 ──

const notHttp = both(refused(/not valid HTTP/))
const gone = both(unavailable(/broke before an answer came/))
const heads: readonly Misbehaviour[] = [
  ...(
    [
      ["HTTP/2 status line", "HTTP/2 200 OK"],
      ["HTTP/0.9 status line", "HTTP/0.9 200 OK"],
      ["status line of another protocol", "ICY 200 OK"],
      ["status of two digits", "HTTP/1.1 20 OK"],
      ["status of four digits", "HTTP/1.1 2000 OK"],
      ["status of no class", "HTTP/1.1 600 OK"],
      ["status 000", "HTTP/1.1 000 OK"],
      ["negative status", "HTTP/1.1 -200 OK"],
      ["status in words", "HTTP/1.1 OK 200"],
      ["lower-case version", "http/1.1 200 OK"],
      ["tab behind the version", "HTTP/1.1\t200 OK"],
      ["two spaces behind the version", "HTTP/1.1  200 OK"],
      ["status line without a status", "HTTP/1.1"],
      ["NUL in the reason", "HTTP/1.1 200 O\0K"],
      ["blank line first", "\r\nHTTP/1.1 200 OK"],
      ["space first", " HTTP/1.1 200 OK"],
      ["line feed in the reason", "HTTP/1.1 200 O\nK"],
      ["header without a colon", "HTTP/1.1 200 OK\r\nbroken"],
      ["space before a colon", "HTTP/1.1 200 OK\r\nx-a : b"],
      ["folded header", "HTTP/1.1 200 OK\r\nx-a: b\r\n c"],
      ["header without a name", "HTTP/1.1 200 OK\r\n: b"],
      ["NUL in a header", "HTTP/1.1 200 OK\r\nx-a: b\0c"],
      ["return in a header", "HTTP/1.1 200 OK\r\nx-a: b\rc"],
      ["letter beyond ASCII in a header name", "HTTP/1.1 200 OK\r\nx-é: b"],
      ["header of 100 kB", `HTTP/1.1 200 OK\r\nx-a: ${"b".repeat(100_000)}`],
      ["ten thousand headers", `HTTP/1.1 200 OK${"\r\nx-a: bcdefg".repeat(10_000)}`],
    ] as const
  ).map(([name, start]) =>
    sends(name, bytesOf(latin(start), `\r\ncontent-length: ${politeText.length}\r\n\r\n${politeText}`), notHttp),
  ),
  stays(
    "reason that is missing",
    `HTTP/1.1 200\r\ncontent-length: ${politeText.length}\r\n\r\n${politeText}`,
    asWhole(politeText),
  ),
  stays(
    "status line with a reason in Latin-1",
    bytesOf(latin("HTTP/1.1 200 Très bien\r\n"), `content-length: ${politeText.length}\r\n\r\n${politeText}`),
    asWhole(politeText),
  ),
  stays("header of 50 kB", sized(json, politeText, [`x-a: ${"b".repeat(50_000)}`]), asWhole(politeText)),
  stays(
    "two thousand headers",
    sized(
      json,
      politeText,
      Array.from({ length: 2000 }, (_, index) => `x-${index}: b`),
    ),
    asWhole(politeText),
  ),
  stays(
    "no headers but the length",
    `HTTP/1.1 200 OK\r\ncontent-length: ${politeText.length}\r\n\r\n${politeText}`,
    asWhole(politeText),
  ),
  sends("no headers at all", `HTTP/1.1 200 OK\r\n\r\n${politeText}`, asWhole(politeText)),
  sends(
    "line feeds alone as line ends",
    `HTTP/1.1 200 OK\ncontent-length: ${politeText.length}\n\n${politeText}`,
    gone,
  ),
  sends("body without a head", politeText, notHttp),
  sends("page without a head", "<html>hello</html>", notHttp),
  sends("alert of TLS", latin("\x15\x03\x03\x00\x02\x02\x16"), notHttp),
  sends("banner of SSH", "SSH-2.0-OpenSSH_9.6\r\n", notHttp),
  sends("compressed bytes", gzipSync(politeText), notHttp),
  sends("close at once", "", gone),
  resets("reset at once", "", gone),
  sends("close in the version", "HTTP/1", gone),
  sends("close behind the status line", "HTTP/1.1 200 OK\r\n", gone),
  sends("close in a header", "HTTP/1.1 200 OK\r\ncontent-ty", gone),
  resets("reset in a header", "HTTP/1.1 200 OK\r\ncontent-ty", gone),
  hangs("silence", "", both(late)),
  hangs("silence behind the status line", "HTTP/1.1 200 OK\r\n", both(late)),
  hangs("silence in a header", "HTTP/1.1 200 OK\r\ncontent-ty", both(late)),
  hangs(
    "line feeds alone, and the connection stays",
    `HTTP/1.1 200 OK\ncontent-length: 5\n\n${politeText}`,
    both(late),
  ),
  row(
    "head that trickles for ever",
    async (peer) => {
      await peer.write("HTTP/1.1 200 OK\r\nx-a: ")
      while (!peer.gone) {
        await peer.write("b")
        await sleep(20)
      }
    },
    both(late),
    { stalls: true },
  ),
  row(
    "head and body byte by byte",
    async (peer) => {
      for (const byte of asIs(politeText)) await peer.write(Uint8Array.of(byte))
    },
    asWhole(politeText),
    { keepsOpen: true },
  ),
  row(
    "slow first byte",
    async (peer) => {
      await sleep(150)
      await peer.write(asIs(politeText))
    },
    asWhole(politeText),
    { keepsOpen: true },
  ),
]

// ── bodies whose length is not what it says ──

const cutWhole: Outcome = both(refused(/broke in the middle/))
const cutEvents = (good: string, about = /broke in the middle/): Outcome => asEvents(broken(good, about))
const length = politeText.length
const lengths: readonly Misbehaviour[] = [
  ...(
    [
      ["length twice, the same", [`content-length: ${length}`, `content-length: ${length}`]],
      ["length twice, contradicting", [`content-length: ${length}`, "content-length: 5"]],
      ["list of lengths", [`content-length: ${length}, ${length}`]],
      ["negative length", ["content-length: -1"]],
      ["length with a sign", [`content-length: +${length}`]],
      ["hexadecimal length", [`content-length: 0x${length.toString(16)}`]],
      ["empty length", ["content-length: "]],
      ["length in words", ["content-length: many"]],
      ["length with an exponent", ["content-length: 1e3"]],
      ["length of two numbers", ["content-length: 1 0"]],
      ["length past all numbers", [`content-length: ${"9".repeat(40)}`]],
      ["length and chunks", [`content-length: ${length}`, "transfer-encoding: chunked"]],
      ["chunks twice", ["transfer-encoding: chunked", "transfer-encoding: chunked"]],
      ["list of encodings", ["transfer-encoding: chunked, chunked"]],
      ["compressed chunks", ["transfer-encoding: gzip, chunked"]],
      ["identity as transfer encoding", ["transfer-encoding: identity"]],
      ["unknown transfer encoding", ["transfer-encoding: xchunked"]],
      ["transfer encoding in quotes", ['transfer-encoding: "chunked"']],
      ["empty transfer encoding", ["transfer-encoding: "]],
    ] as const
  ).map(([name, lines]) => sends(name, `${head(json, lines)}${politeText}`, notHttp)),
  sends(
    "chunks in HTTP/1.0",
    bytesOf("HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", framed(politeText), lastChunk),
    notHttp,
  ),
  sends(
    "HTTP/1.0 with a length",
    `HTTP/1.0 200 OK\r\ncontent-length: ${length}\r\n\r\n${politeText}`,
    asWhole(politeText),
  ),
  stays(
    "chunked in capitals",
    bytesOf(head(json, ["Transfer-Encoding: CHUNKED"]), framed(politeText), lastChunk),
    asWhole(politeText),
  ),
  sends("body until the end of the connection", `${head(json)}${politeText}`, asWhole(politeText)),
  resets("body until a reset", `${head(json)}${politeText}`, cutWhole),
  sends(
    "stream until the end of the connection",
    `${head(events)}${one}${stop}${done}`,
    asEvents(passed(one, stop, done)),
  ),
  resets("stream until a reset", `${head(events)}${one}`, cutEvents(one)),
  sends("length of nothing", head(json, ["content-length: 0"]), both(refused(/empty/))),
  sends("length too small", `${head(json, ["content-length: 20"])}${politeText}`, both(refused(/not a JSON object/))),
  sends("length too large", `${head(json, ["content-length: 9999"])}${politeText}`, cutWhole),
  hangs("length too large, and silence", `${head(json, ["content-length: 9999"])}${politeText}`, both(late)),
  sends(
    "length of a petabyte",
    `${head(json, ["content-length: 100000000000000"])}${politeText}`,
    both(refused(/larger than/)),
  ),
  sends("stream of a length too large", `${head(events, ["content-length: 9999"])}${one}${two}`, cutEvents(one + two)),
  sends(
    "stream of a length too small",
    `${head(events, [`content-length: ${one.length}`])}${one}${stop}${done}`,
    asEvents(broken(one, /end mark/)),
  ),
  sends("close behind the head", head(json, ["content-length: 9999"]), cutWhole),
  resets("reset behind the head", head(json, ["content-length: 9999"]), cutWhole),
  sends("close in the body", `${head(json, ["content-length: 9999"])}{"id":`, cutWhole),
  resets("reset in the body", `${head(json, ["content-length: 9999"])}{"id":`, cutWhole),
  sends("close behind the head of a stream", eventHead, cutEvents("")),
  sends("close behind the first event", bytesOf(eventHead, framed(one)), cutEvents(one)),
  resets("reset behind the first event", bytesOf(eventHead, framed(one)), cutEvents(one)),
  sends("close in an event", bytesOf(eventHead, framed(one), framed(two.slice(0, 30))), cutEvents(one)),
  resets("reset in an event", bytesOf(eventHead, framed(one), framed(two.slice(0, 30))), cutEvents(one)),
  sends("close in a chunk", bytesOf(eventHead, framed(one), "fff\r\n", two), cutEvents(one + two)),
  sends("close behind the end mark", bytesOf(eventHead, framed(one + stop + done)), asEvents(passed(one, stop, done))),
  resets("reset behind the end mark", bytesOf(eventHead, framed(one + stop + done)), asEvents(passed(one, stop, done))),
  ...(
    [
      ["size that is no number", "xyz\r\n"],
      ["negative size", "-5\r\n"],
      ["size with a prefix", "0x5\r\n"],
      ["size of twenty digits", `${"f".repeat(20)}\r\n`],
      ["no size", "\r\n"],
      ["space before the size", " 5\r\n"],
      ["space behind the size", "5 \r\n"],
      ["line feed alone behind the size", "5\nabcde\n"],
      ["too long chunk", "3\r\nabcdefgh\r\n"],
      ["extension of 50 kB", `5;${"a".repeat(50_000)}\r\nabcde\r\n`],
      ["NUL in an extension", "5;a\0b\r\nabcde\r\n"],
      ["trailer with a NUL", "0\r\na\0: b\r\n\r\n"],
      ["trailers of 50 kB", `0\r\na: ${"b".repeat(50_000)}\r\n\r\n`],
    ] as const
  ).flatMap(([name, bad]) => [
    sends(
      `${name}, in a whole reply`,
      bytesOf(jsonHead, framed(politeText.slice(0, 20)), bad),
      both(refused(/not valid HTTP/)),
    ),
    sends(`${name}, in a stream`, bytesOf(eventHead, framed(one), bad), asEvents(broken(one, /not valid HTTP/))),
  ]),
  stays(
    "extensions and trailers",
    bytesOf(jsonHead, `${length.toString(16)};a=b\r\n${politeText}\r\n0;c\r\nx-d: e\r\n\r\n`),
    asWhole(politeText),
  ),
  hangs("no last chunk, and silence", bytesOf(jsonHead, framed(politeText)), both(late)),
  hangs(
    "silence in the middle of a stream",
    bytesOf(eventHead, framed(one)),
    asEvents(broken(one, undefined, "upstream_timeout")),
  ),
  hangs(
    "silence in an event",
    bytesOf(eventHead, framed(one), framed(two.slice(0, 30))),
    asEvents(broken(one, undefined, "upstream_timeout")),
  ),
  hangs("silence behind the head of a stream", eventHead, asEvents(broken("", undefined, "upstream_timeout"))),
  hangs("silence in the body", `${head(json, ["content-length: 9999"])}{"id":`, both(late)),
  hangs(
    "silence behind the end mark",
    bytesOf(eventHead, framed(one + stop + done)),
    asEvents(passed(one, stop, done)),
  ),
  endless(
    "no end behind the end mark",
    bytesOf(eventHead, framed(one + stop + done)),
    framed(two),
    asEvents(passed(one, stop, done)),
  ),
  endless(
    "no end of large events behind the end mark",
    bytesOf(eventHead, framed(one + stop + done)),
    framed(chunk({ content: "x".repeat(60_000) })),
    asEvents(passed(one, stop, done)),
  ),
  sends("bytes behind the reply", bytesOf(asIs(politeText), "more"), asWhole(politeText)),
  sends("bytes behind the last chunk", bytesOf(jsonHead, framed(politeText), lastChunk, "more"), asWhole(politeText)),
  sends(
    "second reply behind the first",
    bytesOf(asIs(politeText), asIs(politeText.replace("hello there", "poison"))),
    asWhole(politeText),
  ),
  row(
    "second reply a moment later",
    async (peer) => {
      await peer.write(asIs(politeText))
      await sleep(10)
      await peer.write(asIs(politeText.replace("hello there", "poison")))
    },
    asWhole(politeText),
  ),
  sends("reply that closes", bytesOf(sized(json, politeText, ["connection: close"])), asWhole(politeText)),
  row(
    "reply that says it closes and does not",
    (peer) => peer.write(sized(json, politeText, ["connection: close"])),
    asWhole(politeText),
  ),
  row(
    "reply, then silent close",
    async (peer) => {
      await peer.write(asIs(politeText))
      await sleep(5)
      peer.end()
    },
    asWhole(politeText),
  ),
]

// ── statuses ──

const interim = (count: number): string => "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(count)
const noReply = both(refused(/status \d+, which is no reply/))
const noContent = both(refused(/no content/))
const error = JSON.stringify({ error: { message: "that is wrong", type: "bad_thing", code: "bad", param: "messages" } })
const failure = (status: number, about?: RegExp): Outcome => both({ status, ...(about !== undefined && { about }) })
const failing = (
  name: string,
  status: number,
  text: Bytes,
  about: RegExp,
  type = json,
  more: readonly string[] = [],
): Misbehaviour => stays(name, sized(type, text, more, `${status} X`), failure(status, about))
const plainFailure = /answered with status \d+/
const statuses: readonly Misbehaviour[] = [
  stays("100 before the reply", bytesOf("HTTP/1.1 100 Continue\r\n\r\n", asIs(politeText)), asWhole(politeText)),
  stays("ten hints before the reply", bytesOf(interim(10), asIs(politeText)), asWhole(politeText)),
  sends("a hundred hints before the reply", bytesOf(interim(100), asIs(politeText)), notHttp),
  endless("hints for ever", "", interim(1), notHttp),
  hangs("a hint, and silence", interim(1), both(late)),
  sends("a hint, and the end", interim(1), gone),
  sends(
    "hint with a length and a body",
    bytesOf("HTTP/1.1 103 X\r\ncontent-length: 5\r\n\r\nhello", asIs(politeText)),
    notHttp,
  ),
  sends("101", "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n", notHttp),
  stays("204", "HTTP/1.1 204 No Content\r\n\r\n", noContent),
  sends("204 with a body", `HTTP/1.1 204 No Content\r\ncontent-length: ${length}\r\n\r\n${politeText}`, noContent),
  stays("205 without content", "HTTP/1.1 205 Reset\r\ncontent-length: 0\r\n\r\n", noContent),
  sends("304 with a body", `HTTP/1.1 304 Not Modified\r\ncontent-length: ${length}\r\n\r\n${politeText}`, noReply),
  ...[201, 202, 203, 206, 226].map((status) =>
    stays(`${status} with a reply`, sized(json, politeText, [], `${status} X`), asWhole(politeText)),
  ),
  ...[300, 301, 302, 303, 305, 307, 308, 399].map((status) =>
    stays(`${status} with a reply`, sized(json, politeText, ["location: http://127.0.0.1:1/"], `${status} X`), noReply),
  ),
  ...[
    400, 402, 404, 405, 406, 408, 409, 410, 413, 415, 418, 422, 425, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505,
    511, 520, 529, 599,
  ].map((status) => failing(`${status} with an error`, status, error, /that is wrong/)),
  ...[401, 403, 407].map((status) =>
    stays(`${status} with an error`, sized(json, error, [], `${status} X`), both(refused(/credentials/))),
  ),
  failing("400 with a page", 400, "<html>secret</html>", plainFailure, "text/html"),
  failing("502 with a page", 502, "<html>bad gateway</html>", plainFailure, "text/html"),
  failing("500 without a body", 500, "", plainFailure),
  failing("429 without a body", 429, "", plainFailure),
  failing("500 with events", 500, `data: ${error}\n\n`, plainFailure, events),
  failing("500 in invalid UTF-8", 500, latin(error.replace("that", "th\xffat")), /th�at is wrong/),
  failing("500 of NULs", 500, "\0".repeat(100), plainFailure),
  row(
    "500 of 10 MB",
    (peer) => peer.write(sized(json, JSON.stringify({ error: { message: "x".repeat(10_000_000) } }), [], "500 X")),
    failure(500, plainFailure),
  ),
  row(
    "500 of 10 MB in chunks",
    (peer) =>
      peer.write(
        bytesOf(head(json, ["transfer-encoding: chunked"], "500 X"), framed("x".repeat(10_000_000)), lastChunk),
      ),
    failure(500, plainFailure),
  ),
  failing(
    "500 nested 100 levels deep",
    500,
    `{"error":{"message":"deep","more":${"[".repeat(100)}${"]".repeat(100)}}}`,
    /deep/,
  ),
  failing(
    "500 nested 100,000 levels deep",
    500,
    `{"error":{"message":"deep","more":${"[".repeat(100_000)}${"]".repeat(100_000)}}}`,
    /deep|status 500/,
  ),
  failing(
    "500 nested 40,000 objects deep",
    500,
    `{"error":${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}}`,
    plainFailure,
  ),
  ...(
    [
      ["null", null],
      ["a list", []],
      ["a number", 5],
      ["empty", {}],
      ["a message that is a number", { message: 5 }],
      ["a message that is null", { message: null }],
      ["a message that is an object", { message: { text: "x" } }],
    ] as const
  ).map(([name, value]) => failing(`500 whose error is ${name}`, 500, JSON.stringify({ error: value }), plainFailure)),
  failing("500 whose error is a text", 500, '{"error":"oh no"}', /oh no/),
  failing(
    "500 whose error has odd fields",
    500,
    '{"error":{"message":"odd","code":{"a":1},"type":5,"details":[1],"__proto__":{"x":1},"param":[]}}',
    /odd/,
  ),
  failing("500 whose error is in a list", 500, '[{"error":{"message":"listed"}}]', /listed|status 500/),
  failing(
    "500 that holds the error twice",
    500,
    '{"error":{"message":"first"},"error":{"message":"second"}}',
    /second/,
  ),
  failing("500 with its error cut", 500, error.slice(0, 30), plainFailure),
  failing("500 with a byte order mark", 500, `\ufeff${error}`, /that is wrong/),
  failing("500 compressed", 500, gzipSync(error), plainFailure, json, ["content-encoding: gzip"]),
  failing("429 with an odd time to come back", 429, error, /that is wrong/, json, [
    `retry-after: soon; ${"é".repeat(3)}`,
  ]),
  failing("429 with 40 kB of limits", 429, error, /that is wrong/, json, [`x-ratelimit-reset: ${"9".repeat(40_000)}`]),
  failing(
    "429 with a thousand limits",
    429,
    error,
    /that is wrong/,
    json,
    Array.from({ length: 1000 }, (_, index) => `x-ratelimit-${index}: 1`),
  ),
  sends(
    "500 that ends too early",
    `${head(json, ["content-length: 999"], "500 X")}{"error":`,
    failure(500, plainFailure),
  ),
  resets("500 that is reset", `${head(json, ["content-length: 999"], "500 X")}{"error":`, failure(500, plainFailure)),
  hangs(
    "500 that falls silent",
    `${head(json, ["content-length: 999"], "500 X")}{"error":`,
    failure(500, plainFailure),
  ),
  endless(
    "500 without an end",
    head(json, ["transfer-encoding: chunked"], "500 X"),
    framed("x".repeat(50_000)),
    failure(500, plainFailure),
  ),
]

// ── whole replies ──

const noObject = both(refused(/not a JSON object/))
const withChoices = (choices: unknown): string => JSON.stringify(reply({ choices }))
const manyChoices = withChoices(Array.from({ length: 10_000 }, (_, index) => ({ index, message: { content: "" } })))
const withMessage = (value: unknown): string => withChoices([{ index: 0, message: value, finish_reason: "stop" }])
const withUsage = (usage: string): string => politeText.replace(/"usage":\{[^}]*\}/, `"usage":${usage}`)
const harmless = (name: string, text: string): Misbehaviour => body(name, text, asWhole(text))
const odd = (name: string, text: string, about: RegExp): Misbehaviour => body(name, text, both(refused(about)))
const wholes: readonly Misbehaviour[] = [
  body("empty reply", "", both(refused(/empty/))),
  body("blank reply", " \n ", both(refused(/empty/))),
  ...[
    "[1,2]",
    "42",
    '"text"',
    "null",
    "true",
    "NaN",
    "undefined",
    "{",
    politeText.slice(0, -1),
    `${politeText}}`,
    `${politeText}trailing`,
    politeText + politeText,
    "{'id':1}",
    "{id:1}",
    '{"a":1,}',
    "\0",
    "<html>",
  ].map((text) => body(`reply ${text.slice(0, 12)}…${text.slice(-12)}`, text, noObject)),
  body("page as a reply", "<html>welcome</html>", noObject, "text/html"),
  body("events as JSON", `${one}${stop}${done}`, both(refused(/event stream/))),
  body("events as text", `${one}${stop}${done}`, both(refused(/event stream/)), "text/plain"),
  body("reply as text", politeText, asWhole(politeText), "text/plain"),
  body("reply as nothing", politeText, asWhole(politeText), ""),
  body("reply as an image", politeText, asWhole(politeText), "image/png"),
  body("reply with a type in another charset", politeText, asWhole(politeText), "application/json; charset=utf-16"),
  body("reply as events", politeText, asEvents(broken("", /end mark|no event/)), events),
  body("byte order mark", `\ufeff${politeText}`, asWhole(politeText)),
  body("blanks around the reply", `\r\n\t ${politeText} \n\n`, asWhole(politeText)),
  row(
    "compressed reply",
    (peer) => peer.write(sized(json, gzipSync(politeText), ["content-encoding: gzip"])),
    both(refused(/"gzip"/)),
  ),
  row(
    "reply that says that it is compressed",
    (peer) => peer.write(sized(json, politeText, ["content-encoding: br"])),
    both(refused(/"br"/)),
  ),
  row(
    "broken compression",
    (peer) => peer.write(sized(json, gzipSync(politeText).subarray(0, 40), ["content-encoding: gzip"])),
    both(refused(/"gzip"/)),
  ),
  row(
    "two compressions",
    (peer) => peer.write(sized(json, gzipSync(politeText), ["content-encoding: gzip", "content-encoding: deflate"])),
    both(refused(/gzip/)),
  ),
  body("compressed reply that does not say so", gzipSync(politeText), noObject),
  row(
    "compressed stream",
    (peer) => peer.write(sized(events, gzipSync(one + stop + done), ["content-encoding: gzip"])),
    both(refused(/"gzip"/)),
  ),
  stays("identity as encoding", sized(json, politeText, ["content-encoding: identity"]), asWhole(politeText)),
  stays("encoding that is empty", sized(json, politeText, ["content-encoding: "]), asWhole(politeText)),
  odd("reply of {}", "{}", /choices/),
  odd("choices null", withChoices(null), /choices/),
  odd("choices an object", withChoices({}), /choices/),
  odd("choices a text", withChoices("x"), /choices/),
  odd("choices a number", withChoices(0), /choices/),
  odd("choice null", withChoices([null]), /choices\[0\]/),
  odd("choice a list", withChoices([[]]), /choices\[0\]/),
  odd("choice a text", withChoices(["x"]), /choices\[0\]/),
  odd("second choice null", withChoices([{ index: 0, message: message() }, null]), /choices\[1\]/),
  odd("message missing", withChoices([{ index: 0, finish_reason: "stop" }]), /choices\[0\]\.message/),
  odd("message null", withMessage(null), /choices\[0\]\.message/),
  odd("message a text", withMessage("hello"), /choices\[0\]\.message/),
  odd("message a list", withMessage([]), /choices\[0\]\.message/),
  odd("delta in place of the message", withChoices([{ index: 0, delta: message() }]), /choices\[0\]\.message/),
  odd("content a number", withMessage(message({ content: 42 })), /choices\[0\]\.message\.content/),
  odd("content an object", withMessage(message({ content: { text: "x" } })), /choices\[0\]\.message\.content/),
  odd("content true", withMessage(message({ content: true })), /choices\[0\]\.message\.content/),
  odd("content of parts that are none", withMessage(message({ content: [null, 5] })), /choices\[0\]\.message\.content/),
  odd("tool calls an object", withMessage(message({ tool_calls: {} })), /choices\[0\]\.message\.tool_calls/),
  odd("tool calls of null", withMessage(message({ tool_calls: [null] })), /choices\[0\]\.message\.tool_calls/),
  odd("error in a good status", error, /that is wrong/),
  odd(
    "error beside choices of null",
    JSON.stringify({ ...reply({ choices: null }), error: { message: "overloaded" } }),
    /overloaded/,
  ),
  body("no choices", withChoices([]), { json: { whole: withChoices([]) }, stream: { said: "" } }),
  harmless("tool calls null", withMessage(message({ tool_calls: null }))),
  harmless("tool call without a function", withMessage(message({ tool_calls: [{ id: "a", type: "function" }] }))),
  harmless("error null", JSON.stringify(reply({ error: null }))),
  harmless("role missing", withMessage({ content: "hello there" })),
  harmless("role of somebody else", withMessage(message({ role: "wizard" }))),
  harmless("finish reason missing", withChoices([{ index: 0, message: message() }])),
  harmless("finish reason unknown", withChoices([{ index: 0, message: message(), finish_reason: "tired" }])),
  harmless("finish reason a number", withChoices([{ index: 0, message: message(), finish_reason: 5 }])),
  body("index missing", withChoices([{ message: message(), finish_reason: "stop" }]), {
    json: { whole: withChoices([{ index: 0, message: message(), finish_reason: "stop" }]) },
    stream: { said: "hello there" },
  }),
  harmless("index negative", withChoices([{ index: -1, message: message(), finish_reason: "stop" }])),
  harmless("index huge", withChoices([{ index: 1e15, message: message(), finish_reason: "stop" }])),
  harmless("logprobs a text", withChoices([{ index: 0, message: message(), logprobs: "x", finish_reason: "stop" }])),
  harmless(
    "logprobs of null",
    withChoices([{ index: 0, message: message(), logprobs: { content: [null, { token: 5 }] }, finish_reason: "stop" }]),
  ),
  harmless("id a number", JSON.stringify(reply({ id: 5 }))),
  harmless("id missing", JSON.stringify(reply({ id: undefined }))),
  harmless("model null", JSON.stringify(reply({ model: null }))),
  harmless("created a text", JSON.stringify(reply({ created: "now" }))),
  harmless("created negative", JSON.stringify(reply({ created: -1e300 }))),
  ...[
    '"many"',
    "null",
    "[]",
    "5",
    '{"prompt_tokens":"3","completion_tokens":"1"}',
    '{"prompt_tokens":-3,"completion_tokens":-1}',
    '{"prompt_tokens":1e400,"completion_tokens":1}',
    '{"prompt_tokens":0.5,"completion_tokens":1}',
    '{"prompt_tokens":3}',
    '{"prompt_tokens":3,"completion_tokens":1,"prompt_tokens_details":"x","completion_tokens_details":[]}',
    '{"prompt_tokens":9007199254740993,"completion_tokens":1}',
  ].map((usage) => harmless(`usage ${usage}`, withUsage(usage))),
  body("usage NaN", withUsage('{"prompt_tokens":NaN,"completion_tokens":1}'), noObject),
  harmless("keys twice", `{"choices":null,"usage":5,${politeText.slice(1)}`),
  harmless("own prototype", `{"__proto__":{"x":1},"constructor":5,"toString":null,${politeText.slice(1)}`),
  harmless("routing metadata of its own", JSON.stringify(reply({ routing_metadata: { mine: true } }))),
  harmless(
    "nested 100 levels deep",
    JSON.stringify(reply()).replace('"id":"c"', `"id":"c","x":${"[".repeat(100)}${"]".repeat(100)}`),
  ),
  odd(
    "nested 100,000 levels deep",
    politeText.replace('"id":"c"', `"id":"c","x":${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    /nested/,
  ),
  harmless("a million values", politeText.replace('"id":"c"', `"id":"c","x":[${"1,".repeat(1_000_000)}1]`)),
  harmless("number of a thousand digits", politeText.replace('"id":"c"', `"id":"c","x":${"9".repeat(1000)}`)),
  body(
    "arguments nested 100,000 levels deep",
    withMessage(
      message({ tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "@" } }] }),
    ).replace('"@"', `${"[".repeat(100_000)}${"]".repeat(100_000)}`),
    both(refused(/nested/)),
  ),
  body("invalid UTF-8", latin(politeText.replace("hello there", "hello th\xc3re")), {
    json: { whole: politeText.replace("hello there", "hello th�re") },
    stream: { said: "hello th�re" },
  }),
  body("lone surrogates", politeText.replace("hello there", "a\\ud800b"), {
    json: { whole: politeText.replace("hello there", "a\\ud800b") },
    stream: { said: "a\ud800b" },
  }),
  body("NUL in the content", politeText.replace("hello there", "a\\u0000b"), {
    json: { whole: politeText.replace("hello there", "a\\u0000b") },
    stream: { said: "a\0b" },
  }),
  body("NUL as it is", politeText.replace("hello there", "a\0b"), noObject),
  body("content of 5 MB", politeText.replace("hello there", "x".repeat(5_000_000)), {
    json: { whole: politeText.replace("hello there", "x".repeat(5_000_000)) },
    stream: { said: "x".repeat(5_000_000) },
  }),
  body("ten thousand choices", manyChoices, {
    json: { whole: manyChoices },
    stream: { said: "" },
  }),
  row(
    "reply of 40 MB",
    async (peer) => {
      await peer.write(jsonHead)
      const piece = framed(" ".repeat(1_000_000))
      for (let count = 0; count < 40 && !peer.gone; count++) await peer.write(piece)
      await peer.write(bytesOf(framed(politeText), lastChunk))
    },
    both(refused(/larger than/)),
  ),
  row(
    "reply that trickles",
    async (peer) => {
      await peer.write(jsonHead)
      for (const byte of encoder.encode(politeText)) await peer.write(framed(Uint8Array.of(byte)))
      await peer.write(lastChunk)
    },
    asWhole(politeText),
    { keepsOpen: true },
  ),
]

// ── streams ──

const notEvent = /not a JSON object/
const noMark = /end mark/
const errorEvent = `data: ${error}\n\n`
const complete = one + two + stop + done
const call = (fields: object): string => chunk({ tool_calls: [fields] })
const begun = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } }
/** A stream with what a client may not be able to read. */
const anew = (name: string, middle: string, written: string): Misbehaviour =>
  stream(name, bytesOf(one, middle, stop, done), passed(one, written, stop, done))
/** A stream that is odd in the middle, and that goes on as it came. */
const through = (name: string, middle: string | Uint8Array): Misbehaviour =>
  stream(name, bytesOf(one, middle, stop, done), passed(one, middle, stop, done))
/** The same unless somebody reads it, who may not know what to do with it. */
const readAnew = (name: string, middle: string, written: string): Misbehaviour => ({
  ...through(name, middle),
  read: passed(one, written, stop, done),
})
/** An event that goes on as it came unless somebody reads it. */
const onlyRead = (name: string, middle: string, about: RegExp): Misbehaviour => ({
  ...through(name, middle),
  read: broken(one, about),
})
/** All of it is good until an event that is none. */
const stops = (name: string, bad: Bytes, about: RegExp = notEvent): readonly Misbehaviour[] => [
  stream(`${name}, first`, bytesOf(bad, one, stop, done), broken("", about)),
  stream(`${name}, in the middle`, bytesOf(one, two, bad, stop, done), broken(one + two, about)),
  stream(`${name}, in the read of the end mark`, bytesOf(one, bad, done), broken(one, about)),
  pieces(`${name}, in the middle of a slow stream`, [one, two, bad, stop, done], broken(one + two, about)),
  stream(`${name}, behind the end mark`, bytesOf(complete, bad), passed(complete)),
]
const nested: unknown = JSON.parse("[".repeat(100) + "]".repeat(100))
const ownPrototype = '"__proto__":{"choices":[]},"constructor":1}\n\n'
const streams: readonly Misbehaviour[] = [
  ...stops("event that is no JSON", "data: broken\n\n"),
  ...stops("event of a number", "data: 42\n\n"),
  ...stops("event of a list", "data: [1]\n\n"),
  ...stops("event of null", "data: null\n\n"),
  ...stops("event without data in it", "data:\n\n"),
  ...stops("event of half an object", 'data: {"choices":[\n\n'),
  ...stops("page", "data: <html></html>\n\n"),
  ...stops("error", errorEvent, /that is wrong/),
  ...stops("error as a text", 'data: {"error":"oh no"}\n\n', /oh no/),
  ...stops("error with a name", `event: error\ndata: ${error}\n\n`, /that is wrong/),
  ...stops(
    "error beside choices",
    `data: ${JSON.stringify({ id: "c", choices: [], error: { message: "oh no", code: 500 } })}\n\n`,
    /oh no/,
  ),
  ...stops("end mark in lower case", "data: [done]\n\n"),
  ...stops("event of 5 MB", chunk({ content: "x".repeat(5_000_000) }), /larger than/),
  stream("nothing", "\n", broken("", noMark)),
  stays("nothing at all", bytesOf(eventHead, lastChunk), asEvents(broken("", noMark))),
  stream("end mark alone", done, broken("", /no event/)),
  stream("comment and end mark alone", `: hello\n\n${done}`, broken(": hello\n\n", /no event/)),
  stream("no end mark", one + two, broken(one + two, noMark)),
  stream("no end mark behind the finish reason", one + stop, passed(one, stop, done)),
  stream("end mark twice", complete + done, passed(complete)),
  stream("end mark with spaces", one + stop + "data:   [DONE]  \n\n", passed(one, stop, "data:   [DONE]  \n\n")),
  stream("end mark without a space", `${one}${stop}data:[DONE]\n\n`, passed(one, stop, "data:[DONE]\n\n")),
  stream("end mark without a blank line", `${one}${stop}data: [DONE]`, passed(one, stop, "data: [DONE]\n\n")),
  stream("end mark with one line end", `${one}${stop}data: [DONE]\n`, passed(one, stop, "data: [DONE]\n\n")),
  stream(
    "end mark with a name",
    `${one}${stop}event: done\ndata: [DONE]\n\n`,
    passed(one, stop, "event: done\ndata: [DONE]\n\n"),
  ),
  stream("end mark in quotes", `${one}${stop}data: "[DONE]"\n\n`, broken(one + stop, notEvent)),
  stream("last event without a blank line", `${one}${two.trimEnd()}`, broken(one, noMark)),
  stream("events behind the finish reason", one + stop + two + done, passed(one, stop, two, done)),
  stream("finish reason twice", one + stop + stop + done, passed(one, stop, stop, done)),
  stream("good events and the end in one read", complete, passed(complete)),
  stream("comments only", ": a\n\n: b\n\n", broken(": a\n\n: b\n\n", noMark)),
  through("comments between", ": a\n\n:\n\n: b\n: c\n\n"),
  through("names of events", `event: message\n${two}`),
  through("ids and times", `id: 5\nretry: 10\n${two}`),
  through("fields alone", "id: 5\n\nretry: 10\n\nevent: x\n\n"),
  through("unknown fields", `foo: bar\nfoo\n${two}`),
  through("no space behind the colon", two.replace("data: ", "data:")),
  through("two spaces behind the colon", two.replace("data: ", "data:  ")),
  through("data in several lines", two.replace('"object"', '\ndata: "object"')),
  through("many blank lines", "\n".repeat(1000)),
  through("carriage returns before line feeds", two.replaceAll("\n", "\r\n")),
  through("mixed line ends", two.replace("\n\n", "\r\n\n") + two.replace("\n\n", "\n\r\n")),
  stream(
    "carriage returns before line feeds all along",
    complete.replaceAll("\n", "\r\n"),
    passed(complete.replaceAll("\n", "\r\n")),
  ),
  stream("carriage returns alone", complete.replaceAll("\n", "\r"), broken("", noMark)),
  stream("byte order mark first", `\ufeff${complete}`, passed(`\ufeff${complete}`)),
  through("NUL in a text", two.replace("two", "t\0o").replace("t\0o", "t\\u0000o")),
  through("NUL in a comment", ": a\0b\n\n"),
  through("invalid UTF-8 in a text", latin(two.replace("two", "t\xffo"))),
  stream(
    "invalid UTF-8 before an event that is none",
    bytesOf(one, latin(two.replace("two", "t\xffo")), "data: broken\n\n", done),
    broken(bytesOf(one, latin(two.replace("two", "t\xffo"))), notEvent),
  ),
  stream(
    "invalid UTF-8 before bytes behind the end mark",
    bytesOf(latin(one.replace("one", "\xe2\x82")), done, two),
    passed(latin(one.replace("one", "\xe2\x82")), done),
  ),
  pieces(
    "letter cut in two",
    [...Array.from(bytesOf(one, chunk({ content: "é€😀" })), (byte) => Uint8Array.of(byte)), stop, done],
    passed(one, chunk({ content: "é€😀" }), stop, done),
  ),
  pieces(
    "one byte in each chunk",
    Array.from(bytesOf(one + done), (byte) => Uint8Array.of(byte)),
    passed(one, done),
  ),
  stream(
    "a hundred thousand events in one read",
    chunk({ content: "x" }).repeat(30_000) + ":\n\n".repeat(100_000) + stop + done,
    passed(chunk({ content: "x" }).repeat(30_000), ":\n\n".repeat(100_000), stop, done),
  ),
  through("event of 3 MB", chunk({ content: "x".repeat(3_000_000) })),
  row(
    "event without an end",
    async (peer) => {
      await peer.write(bytesOf(eventHead, framed(one), framed("data: {")))
      const piece = framed("x".repeat(100_000))
      while (!peer.gone) await peer.write(piece)
    },
    asEvents(broken(one, /larger than/)),
  ),
  row(
    "lines without an end in one event",
    async (peer) => {
      await peer.write(bytesOf(eventHead, framed(one)))
      const piece = framed("data: x\n".repeat(10_000))
      while (!peer.gone) await peer.write(piece)
    },
    asEvents(broken(one, /larger than/)),
  ),
  readAnew("object without fields", "data: {}\n\n", ""),
  through(
    "usage alone",
    chunkWith({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 } }),
  ),
  through("usage of texts", chunkWith({ choices: [], usage: { prompt_tokens: "3", completion_tokens: null } })),
  through("usage negative", chunkWith({ choices: [], usage: { prompt_tokens: -3, completion_tokens: -1 } })),
  through("usage a list", chunkWith({ choices: [], usage: [1] })),
  readAnew("choices missing", chunkWith({}), ""),
  readAnew("choices null", chunkWith({ choices: null }), ""),
  readAnew("choices an object", chunkWith({ choices: {} }), ""),
  through("choices empty", chunkWith({ choices: [] })),
  readAnew("choice null", chunkWith({ choices: [null] }), ""),
  readAnew("choice without an index", chunkWith({ choices: [{ delta: { content: "x" } }] }), chunk({ content: "x" })),
  through("index negative", chunkWith({ choices: [{ index: -1, delta: { content: "x" } }] })),
  through("index a fraction", chunkWith({ choices: [{ index: 0.5, delta: { content: "x" } }] })),
  readAnew("index a text", chunkWith({ choices: [{ index: "0", delta: { content: "x" } }] }), chunk({ content: "x" })),
  through("index huge", chunkWith({ choices: [{ index: 4e9, delta: { content: "x" }, finish_reason: "stop" }] })),
  through("index past all numbers", chunkWith({ choices: [{ index: 1e308, delta: { content: "x" } }] })),
  readAnew("delta missing", chunkWith({ choices: [{ index: 0 }] }), ""),
  readAnew("delta null", chunk(null), ""),
  readAnew("delta a text", chunk("x"), ""),
  through("delta empty", chunk({})),
  through("content null", chunk({ content: null })),
  through("content a number", chunk({ content: 5 })),
  through("content an object", chunk({ content: { a: 1 } })),
  through("role in every chunk", chunk({ role: "assistant", content: "x" })),
  through("role null", chunk({ role: null, content: "x" })),
  through("message in place of the delta", chunkWith({ choices: [{ index: 0, message: { content: "x" } }] })),
  through("reasoning a number", chunk({ reasoning_content: 5 })),
  through(
    "logprobs odd",
    chunk({ content: "x" }, { logprobs: { content: [null, { token: 5, logprob: "x", top_logprobs: {} }] } }),
  ),
  through("finish reason unknown", chunk({}, { finish_reason: "tired" })),
  through("finish reason a number", chunk({}, { finish_reason: 5 })),
  through("tool calls null", chunk({ tool_calls: null })),
  anew("tool calls an object", chunk({ tool_calls: begun }), call(begun)),
  anew("tool calls of null", chunk({ tool_calls: [null] }), ""),
  anew(
    "tool call without an index",
    call({ id: "a", function: { name: "f", arguments: "{" } }) +
      call({ id: "b", function: { name: "f", arguments: "{" } }),
    call(begun) +
      call({ index: 0, function: { arguments: "{" } }) +
      call({ ...begun, index: 1, id: "b" }) +
      call({ index: 1, function: { arguments: "{" } }),
  ),
  through("tool call index huge", call({ ...begun, index: 4e9 })),
  through("tool call index negative", call({ ...begun, index: -1 })),
  through(
    "tool call pieces out of order",
    call({ index: 3, function: { arguments: "}" } }) + call({ ...begun, index: 3 }) + call({ ...begun, index: 1 }),
  ),
  through("tool call pieces before it begins", call({ index: 0, function: { arguments: "}" } }) + call(begun)),
  through("tool call without a function", call({ index: 0, id: "a", type: "function" })),
  through("tool call whose function is null", call({ index: 0, id: "a", function: null })),
  anew(
    "tool call whose arguments are an object",
    call({ index: 0, id: "a", function: { name: "f", arguments: { a: 1 } } }),
    call(begun) + call({ index: 0, function: { arguments: '{"a":1}' } }),
  ),
  through(
    "tool call whose name comes in pieces",
    call({ index: 0, id: "a", function: { name: "f" } }) + call({ index: 0, function: { name: "g" } }),
  ),
  through("function call of old, odd", chunk({ function_call: { name: null, arguments: 5 } })),
  readAnew("nested 100 levels deep", chunkWith({ x: nested }), chunkWith({ choices: [], x: nested })),
  onlyRead("nested 100,000 levels deep", `data: {"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n\n`, /nested/),
  onlyRead("braces around no JSON", "data: {broken}\n\n", notEvent),
  through("keys twice", 'data: {"choices":5,"choices":[]}\n\n'),
  readAnew("own prototype", `data: {${ownPrototype}`, chunkWith({ choices: [] }).replace("}\n\n", `,${ownPrototype}`)),
  pieces(
    "pings for a while",
    [one, ...Array.from({ length: 50 }, () => ": ping\n\n"), stop, done],
    passed(one, ": ping\n\n".repeat(50), stop, done),
  ),
  stays(
    "stream type with parameters",
    bytesOf(head("text/event-stream;charset=UTF-8; x=y", ["transfer-encoding: chunked"]), framed(complete), lastChunk),
    asEvents(passed(complete)),
  ),
  stays(
    "stream type in capitals",
    bytesOf(head("Text/Event-Stream", ["transfer-encoding: chunked"]), framed(complete), lastChunk),
    asEvents(passed(complete)),
  ),
  sends(
    "stream type twice",
    bytesOf(head(events, [`content-type: ${json}`, "transfer-encoding: chunked"]), framed(complete), lastChunk),
    both(refused(/event stream/)),
  ),
  stays(
    "stream with a status of its own",
    bytesOf(head(events, ["transfer-encoding: chunked"], "201 X"), framed(complete), lastChunk),
    asEvents(passed(complete)),
  ),
]

/** Streams without an end: a client that reads them to their end would never be done. */
export const endlessStreams: readonly Misbehaviour[] = [
  endless("text for ever", bytesOf(eventHead, framed(one)), framed(two), asEvents(passed())),
  endless(
    "large events for ever",
    bytesOf(eventHead, framed(one)),
    framed(chunk({ content: "x".repeat(60_000) })),
    asEvents(passed()),
  ),
  endless("comments for ever", bytesOf(eventHead, framed(one)), framed(": ping\n\n"), asEvents(passed())),
  endless("small events for ever", bytesOf(eventHead, framed(one)), framed(two.repeat(1000)), asEvents(passed())),
]

export const misbehaviours: readonly Misbehaviour[] = [...heads, ...lengths, ...statuses, ...wholes, ...streams]
