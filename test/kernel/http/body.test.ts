import { RtrError } from "../../../ts/kernel/error.ts"
import { describe, expect, test } from "vitest"
import { maxBodyBytes, maxChatBodyBytes, readBody as read } from "../../../ts/kernel/http/body.ts"

const readBody = (
  request: Request,
  limit: number = maxBodyBytes,
  hold: (bytes: number) => void = () => {},
): Promise<string> => read(request, limit, { hold })

const post = (
  body: BodyInit | null,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" },
): Request =>
  new Request("http://h/", { method: "POST", body, headers, ...(body instanceof ReadableStream && { duplex: "half" }) })

/** A body of unknown length, piece by piece; `error` breaks it at the end. */
const streamed = (pieces: readonly (string | Uint8Array)[], error?: Error): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      const [piece] = pieces.slice(position)
      position += 1
      if (piece !== undefined) controller.enqueue(typeof piece === "string" ? new TextEncoder().encode(piece) : piece)
      else if (error !== undefined) controller.error(error)
      else controller.close()
    },
  })
let position = 0
const stream = (...args: Parameters<typeof streamed>): ReadableStream<Uint8Array> => {
  position = 0
  return streamed(...args)
}

describe("content types", () => {
  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=utf-8",
    "Application/JSON",
    "application/vnd.api+json",
    "application/problem+json ; a=b",
  ])("%s is JSON", async (type) => expect(await readBody(post("{}", { "content-type": type }))).toBe("{}"))

  test("a body without one is taken", async () => {
    const request = new Request("http://h/", { method: "POST", body: new TextEncoder().encode("{}") })
    expect(request.headers.get("content-type")).toBe(null)
    expect(await readBody(request)).toBe("{}")
  })

  test.each([
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "application/jsonp",
    "application/json5",
    "application/jsonx; application/json",
    "image/png",
    "",
  ])("%j is refused", async (type) => {
    await expect(readBody(post("{}", { "content-type": type }))).rejects.toMatchObject({
      code: "unsupported_media_type",
      message: "Cannot read the request: its content-type must be application/json",
    })
  })
})

describe("a body of unknown length", () => {
  test("is read to its end", async () => {
    expect(await readBody(post(stream(["{", '"a"', ":1}"])))).toBe('{"a":1}')
  })

  test("may cut characters between its pieces", async () => {
    const bytes = new TextEncoder().encode("漢👩é")
    expect(await readBody(post(stream(Array.from(bytes, (byte) => Uint8Array.of(byte)))))).toBe("漢👩é")
  })

  test("of nothing is empty", async () => expect(await readBody(post(null))).toBe(""))

  test("is refused as soon as it is too large", async () => {
    let given = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        given += 1
        controller.enqueue(new Uint8Array(10))
      },
    })
    await expect(readBody(post(endless), 100)).rejects.toMatchObject({
      code: "request_too_large",
      message: "Cannot read the request: its body is larger than 100 bytes",
    })
    expect(given).toBeLessThan(20)
  })

  test("of exactly the limit is fine", async () => {
    expect(await readBody(post(stream(["x".repeat(60), "y".repeat(40)])), 100)).toHaveLength(100)
  })

  test("that breaks means that the client left", async () => {
    await expect(readBody(post(stream(["{"], new Error("reset"))))).rejects.toMatchObject({
      code: "client_closed_request",
      message: "The client left before its request was read",
    })
  })
})

describe("a declared length", () => {
  test("past the limit is refused without reading", async () => {
    const request = post(stream(["x"]), { "content-type": "application/json", "content-length": "101" })
    await expect(readBody(request, 100)).rejects.toMatchObject({ code: "request_too_large" })
    expect(request.bodyUsed).toBe(false)
  })

  test("within the limit is read", async () => {
    expect(await readBody(post("{}", { "content-type": "application/json", "content-length": "2" }), 2)).toBe("{}")
  })

  test("that is no number is no length", async () => {
    expect(await readBody(post("{}", { "content-type": "application/json", "content-length": "x" }))).toBe("{}")
  })
})

describe("a body of declared length", () => {
  const own = (text: () => Promise<string>): Request =>
    ({ headers: new Headers({ "content-type": "application/json", "content-length": "50" }), text }) as never

  test("is read at once", async () => expect(await readBody(own(async () => "{}"))).toBe("{}"))

  test("may be refused by the server's own limit", async () => {
    const tooLarge = Object.assign(new Error("too large"), { code: "ERR_BODY_TOO_LARGE" })
    await expect(readBody(own(() => Promise.reject(tooLarge)))).rejects.toMatchObject({ code: "request_too_large" })
  })

  test("may lose its client", async () => {
    await expect(readBody(own(() => Promise.reject(new Error("aborted"))))).rejects.toMatchObject({
      code: "client_closed_request",
    })
  })

  test("that is small is not held", async () => {
    const held: number[] = []
    await readBody(
      own(async () => "{}"),
      100,
      (bytes) => held.push(bytes),
    )
    expect(held).toEqual([])
  })
})

test("a large body is held as it comes, whatever it announces", async () => {
  const held: number[] = []
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("{}")
  }
  const headers = new Headers({ "content-type": "application/json", "content-length": "1000000" })
  await readBody({ headers, body: pieces() } as never, 2_000_000, (bytes) => held.push(bytes))
  expect(held).toEqual([2])
  const refuse = (): never => {
    throw new RtrError("overloaded", "full")
  }
  await expect(readBody({ headers, body: pieces() } as never, 2_000_000, refuse)).rejects.toMatchObject({
    code: "overloaded",
  })
})

test("a body in chunks is held piece by piece", async () => {
  const held: number[] = []
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('{"a"')
    yield new TextEncoder().encode(":1}")
  }
  const request = {
    headers: new Headers({ "content-type": "application/json" }),
    body: pieces(),
  } as never
  expect(await readBody(request, 100, (bytes) => held.push(bytes))).toBe('{"a":1}')
  expect(held).toEqual([4, 3])
})

test("the limit of chat requests has room for images", () => {
  expect([maxChatBodyBytes, maxBodyBytes]).toEqual([64 * 1024 * 1024, 10 * 1024 * 1024])
})
