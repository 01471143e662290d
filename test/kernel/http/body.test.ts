import { RtrError } from "../../../ts/kernel/error.ts"
import { describe, expect, test } from "vitest"
import { maxBodyBytes, maxChatBodyBytes, readBody as read } from "../../../ts/kernel/http/body.ts"

const readBody = (
  request: Request,
  limit: number = maxBodyBytes,
  hold: (bytes: number) => void = () => {},
): Promise<unknown> => read(request, limit, { hold })

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
  ])("%s is JSON", async (type) => expect(await readBody(post("{}", { "content-type": type }))).toEqual({}))

  test.each([undefined, "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded"])(
    "%s is taken from a program and not from a web page",
    async (type) => {
      const send = (more: Readonly<Record<string, string>>): Promise<unknown> => {
        const body = new TextEncoder().encode("{}")
        return readBody(post(body, { ...more, ...(type !== undefined && { "content-type": type }) }))
      }
      expect(await send({})).toEqual({})
      const pages: readonly (readonly [string, string])[] = [
        ["origin", "https://evil.example"],
        ["origin", "null"],
        ["sec-fetch-site", "cross-site"],
      ]
      for (const [name, value] of pages)
        await expect(send({ [name]: value })).rejects.toMatchObject({ code: "unsupported_media_type" })
    },
  )

  test("a compressed body is named as such", async () => {
    const zipped = Uint8Array.of(31, 139, 8, 0)
    await expect(
      readBody(post(zipped, { "content-type": "application/json", "content-encoding": "gzip" })),
    ).rejects.toMatchObject({
      code: "unsupported_media_type",
      message: 'Cannot read the request: its content-encoding must be left out, not "gzip"',
    })
  })

  test.each([
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
    expect(await readBody(post(stream(["{", '"a"', ":1}"])))).toEqual({ a: 1 })
  })

  test("may cut characters between its pieces", async () => {
    const bytes = new TextEncoder().encode('"漢👩é"')
    expect(await readBody(post(stream(Array.from(bytes, (byte) => Uint8Array.of(byte)))))).toBe("漢👩é")
  })

  test("of nothing is no JSON", async () =>
    await expect(readBody(post(null))).rejects.toMatchObject({ code: "invalid_request" }))

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
    expect(await readBody(post(stream([`"${"x".repeat(59)}`, `${"y".repeat(39)}"`])), 100)).toHaveLength(98)
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
    expect(await readBody(post("{}", { "content-type": "application/json", "content-length": "2" }), 2)).toEqual({})
  })

  test("that is no number is no length", async () => {
    expect(await readBody(post("{}", { "content-type": "application/json", "content-length": "x" }))).toEqual({})
  })
})

describe("a body of declared length", () => {
  const own = (text: () => Promise<string>): Request =>
    ({ headers: new Headers({ "content-type": "application/json", "content-length": "50" }), text }) as never

  test("is read at once", async () => expect(await readBody(own(async () => "{}"))).toEqual({}))

  test("may be refused by the server's own limit", async () => {
    const tooLarge = Object.assign(new Error("too large"), { code: "ERR_BODY_TOO_LARGE" })
    await expect(readBody(own(() => Promise.reject(tooLarge)))).rejects.toMatchObject({ code: "request_too_large" })
  })

  test("may lose its client", async () => {
    await expect(readBody(own(() => Promise.reject(new Error("aborted"))))).rejects.toMatchObject({
      code: "client_closed_request",
    })
  })

  test("is told when it comes too slowly", async () => {
    const slow = Object.assign(new Error("slow"), { code: "ERR_BODY_TIMEOUT" })
    await expect(readBody(own(() => Promise.reject(slow)))).rejects.toMatchObject({ code: "request_timeout" })
  })
})

describe("memory", () => {
  const json = new Headers({ "content-type": "application/json" })
  const sum = async (body: string, length?: number): Promise<number> => {
    let held = 0
    const headers = new Headers(json)
    if (length !== undefined) headers.set("content-length", String(length))
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield new TextEncoder().encode(body)
    }
    const request = { headers, body: pieces(), text: async () => body } as never
    await readBody(request, maxChatBodyBytes, (bytes) => (held += bytes))
    return held
  }

  test("is held for values and not only for bytes", async () => {
    const objects = `[${"{},".repeat(1000)}{}]`
    const text = JSON.stringify("x".repeat(objects.length - 2))
    for (const length of [undefined, objects.length]) {
      expect(await sum(objects, length)).toBeGreaterThan(1000 * 150)
      expect(await sum(text, length)).toBeLessThan(text.length * 7)
    }
  })

  test("of a large body is held as it comes, whatever it announces, and a refusal ends it", async () => {
    let given = 0
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const piece of ["[", ...Array.from({ length: 100 }, () => "1,"), "1]"]) {
        given += 1
        yield new TextEncoder().encode(piece)
      }
    }
    const headers = new Headers({ "content-type": "application/json", "content-length": "1000000" })
    let held = 0
    const hold = (bytes: number): void => {
      held += bytes
      if (held > 1000) throw new RtrError("unavailable", "full")
    }
    await expect(readBody({ headers, body: pieces() } as never, 2_000_000, hold)).rejects.toMatchObject({
      code: "unavailable",
    })
    expect(given).toBeLessThan(20)
  })

  test("of a body in tiny pieces is held for the pieces", async () => {
    let held = 0
    const bytes = new TextEncoder().encode(JSON.stringify("x".repeat(998)))
    await readBody(post(stream(Array.from(bytes, (byte) => Uint8Array.of(byte)))), 10_000, (more) => (held += more))
    expect(held).toBeGreaterThan(1000 * 60)
  })
})

test("many values are refused before they have all come", async () => {
  let given = 0
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += 1
      controller.enqueue(new TextEncoder().encode(given === 1 ? '{"x":[' : "{},".repeat(1000)))
    },
  })
  await expect(readBody(post(endless), maxChatBodyBytes)).rejects.toMatchObject({
    code: "invalid_request",
    message: "Cannot read the request: the body has more than 150000 brackets, commas and colons outside its texts",
  })
  expect(given).toBeLessThan(100)
})

test("the limit of chat requests has room for images", () => {
  expect([maxChatBodyBytes, maxBodyBytes]).toEqual([32 * 1024 * 1024, 10 * 1024 * 1024])
})
