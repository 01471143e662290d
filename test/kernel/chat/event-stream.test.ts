import { describe, expect, test } from "vitest"
import { createEventSplitter, maxEventBytes, upTo, writeEvent } from "../../../ts/kernel/chat/event-stream.ts"
import { createRandom } from "../../fakes/random.ts"

const encoder = new TextEncoder()
const decoder = new TextDecoder()

async function* pieces(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? encoder.encode(part) : part
}

interface EventBatch {
  readonly data: readonly string[]
  readonly bytes: Uint8Array
}

async function* readEvents(source: AsyncIterable<Uint8Array>): AsyncGenerator<EventBatch> {
  const splitter = createEventSplitter()
  for await (const piece of source) {
    const batch = splitter.push(piece)
    if (batch === undefined) continue
    expect(decoder.decode(batch.bytes)).toBe(batch.text.replace(/^\ufeff/, ""))
    expect(batch.events.at(-1)?.end).toBe(batch.text.length)
    yield { data: batch.events.flatMap(({ data }) => (data === undefined ? [] : [data])), bytes: batch.bytes }
  }
  splitter.push(new Uint8Array(0))
}

/** The data of all events, and the bytes of all batches as one text. */
async function read(...parts: readonly (string | Uint8Array)[]) {
  const data: string[] = []
  let bytes = ""
  for await (const batch of readEvents(pieces(...parts))) {
    data.push(...batch.data)
    bytes += decoder.decode(batch.bytes)
  }
  return { data, bytes }
}

async function collectEvents(source: AsyncIterable<Uint8Array>): Promise<readonly EventBatch[]> {
  const batches: EventBatch[] = []
  for await (const batch of readEvents(source)) batches.push(batch)
  return batches
}

const dataOf = async (...parts: readonly (string | Uint8Array)[]): Promise<readonly string[]> =>
  (await read(...parts)).data

describe("events", () => {
  test.each<[string, string, readonly string[]]>([
    ["one", "data: a\n\n", ["a"]],
    ["several", "data: a\n\ndata: b\n\n", ["a", "b"]],
    ["with CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["with both line ends", "data: a\r\n\ndata: b\n\r\n", ["a", "b"]],
    ["without the space", "data:a\n\n", ["a"]],
    ["with more spaces", "data:  a \n\n", [" a "]],
    ["of several lines", "data: a\ndata: b\n\n", ["a\nb"]],
    ["of several lines with CRLF", "data: a\r\ndata: b\r\n\r\n", ["a\nb"]],
    ["with an empty line of data", "data: a\ndata:\ndata: b\n\n", ["a\n\nb"]],
    ["with empty data", "data:\n\n", [""]],
    ["with other fields", "event: message\nid: 1\nretry: 5\ndata: a\n\n", ["a"]],
    ["that are comments only", ": ping\n\n:\n\ndata: a\n\n", ["a"]],
    ["with a comment inside", ": ping\ndata: a\n\n", ["a"]],
    ["without data", "event: ping\n\n", []],
    ["after extra blank lines", "\n\n\ndata: a\n\n\n\n\ndata: b\n\n", ["a", "b"]],
    ["whose field only begins like data", "database: x\n\n", []],
    ["with colons in the data", 'data: {"a":"b: c"}\n\n', ['{"a":"b: c"}']],
    ["in any script", "data: 漢字 👩‍👩‍👧 é\n\n", ["漢字 👩‍👩‍👧 é"]],
    ["after a byte order mark", "\ufeffdata: a\n\n", ["a"]],
    ["that were cut are none", "data: a\n\ndata: b\n", ["a"]],
    ["that were cut in the middle are none", "data: a\n\ndat", ["a"]],
    ["of nothing", "", []],
  ])("%s", async (_, text, data) => expect(await dataOf(text)).toEqual(data))

  test("keep their bytes exactly as they came, without what was cut", async () => {
    const text = ": ping\r\n\r\ndata: a\n\n\n\nevent: x\ndata:b\n\n"
    expect(await read(`${text}data: cut`)).toEqual({ data: ["a", "b"], bytes: text })
  })

  test("that one read completes come as one batch", async () => {
    const batches = await collectEvents(pieces("data: a\n\ndata: b\n\nda", "ta: c\n\n"))
    expect(batches.map(({ data }) => data)).toEqual([["a", "b"], ["c"]])
  })
})

describe("pieces", () => {
  const text =
    'data: {"x":"é漢👩"}\r\n\r\n: ping\n\nevent: e\ndata: one\ndata: two\n\r\ndata:\n\n\ndata: [DONE]\r\n\ncut'
  const bytes = encoder.encode(text)
  const events = ['{"x":"é漢👩"}', "one\ntwo", "", "[DONE]"]
  const whole = { data: events, bytes: text.slice(0, -3) }

  test("cut at any byte give the same events", async () => {
    for (let at = 0; at <= bytes.length; at++)
      expect([at, await read(bytes.subarray(0, at), bytes.subarray(at))]).toEqual([at, whole])
  })

  test("of one byte each give the same events", async () => {
    expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  })

  test("of any sizes give the same events", async () => {
    const random = createRandom(7)
    for (let round = 0; round < 200; round++) {
      const parts: Uint8Array[] = []
      for (let at = 0; at < bytes.length;) {
        const next = at + random.below(12)
        parts.push(bytes.subarray(at, next))
        at = next
      }
      expect(await read(...parts)).toEqual(whole)
    }
  })

  test("may be empty", async () => {
    expect(await read("", "data: a", "", "\n", "", "\n", "")).toEqual({ data: ["a"], bytes: "data: a\n\n" })
  })

  test("may be reused by their owner once the next one is asked for", async () => {
    async function* shared(): AsyncGenerator<Uint8Array> {
      const buffer = encoder.encode("data: a")
      yield buffer
      buffer.fill(120)
      yield encoder.encode("\n\ndata: b")
      yield encoder.encode("\n\n")
    }
    const batches = await collectEvents(shared())
    expect(batches.map(({ data, bytes: each }) => [data, decoder.decode(each)])).toEqual([
      [["a"], "data: a\n\n"],
      [["b"], "data: b\n\n"],
    ])
  })

  test("batches that were given out stay as they are while more is read", async () => {
    const batches = await collectEvents(pieces("data: first", "\n\nda", "ta: second\n\n", "data: x\n\n"))
    expect(batches.map(({ bytes: each }) => decoder.decode(each))).toEqual([
      "data: first\n\n",
      "data: second\n\n",
      "data: x\n\n",
    ])
  })

  test("of a megabyte that come byte by byte are read in linear time", async () => {
    const size = 1024 * 1024
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield encoder.encode("data: ")
      const byte = encoder.encode("x")
      for (let index = 0; index < size; index++) yield byte
      yield encoder.encode("\n")
      yield encoder.encode("\n")
    }
    const startedAt = performance.now()
    const [batch] = await collectEvents(slowly())
    expect(batch?.data[0]?.length).toBe(size)
    // Copying the event for each byte would take minutes; this only tells the two apart.
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })
})

describe("the bound", () => {
  const endless = (parts: number) => {
    let given = 0
    const source: AsyncIterable<Uint8Array> = {
      async *[Symbol.asyncIterator]() {
        const piece = new Uint8Array(64 * 1024).fill(120)
        for (; given < parts; given++) yield piece
      },
    }
    return { source, given: () => given }
  }

  test("ends a line that never ends", async () => {
    const { source, given } = endless(10_000)
    await expect(collectEvents(source)).rejects.toMatchObject({
      code: "upstream_error",
      message: `an event of the stream is larger than ${maxEventBytes} bytes`,
    })
    expect(given()).toBeLessThan(100)
  })

  test("holds for the part after whole events too", async () => {
    const text = `data: a\n\n${"x".repeat(maxEventBytes + 1)}`
    await expect(dataOf(text)).rejects.toMatchObject({ code: "upstream_error" })
  })

  test("lets an event of that size pass", async () => {
    const line = `data: ${"x".repeat(maxEventBytes - 6)}`
    expect((await dataOf(line, "\n\n"))[0]?.length).toBe(maxEventBytes - 6)
  })
})

test("an error of the source is passed on", async () => {
  const broken = new Error("broken")
  async function* source(): AsyncGenerator<Uint8Array> {
    yield encoder.encode("data: a\n\n")
    throw broken
  }
  const seen: string[] = []
  const reading = async (): Promise<void> => {
    for await (const { data } of readEvents(source())) seen.push(...data)
  }
  await expect(reading()).rejects.toBe(broken)
  expect(seen).toEqual(["a"])
})

test("writeEvent makes one event", async () => {
  expect(decoder.decode(writeEvent('{"a":1}'))).toBe('data: {"a":1}\n\n')
  expect(await dataOf(writeEvent("x"), writeEvent("y"))).toEqual(["x", "y"])
})

test("upTo keeps the first events with their text and bytes", () => {
  const batch = createEventSplitter().push(encoder.encode("data: é\n\n\n: x\n\ndata: b\n\n"))
  if (batch === undefined) throw new Error("no batch")
  expect(upTo(batch, 3)).toEqual(batch)
  const first = upTo(batch, 1)
  expect([first.text, decoder.decode(first.bytes), first.events.length]).toEqual(["data: é\n\n\n", "data: é\n\n\n", 1])
})

test("whole events past the bound are refused after those before them", () => {
  const splitter = createEventSplitter()
  const large = `data: ${"x".repeat(maxEventBytes)}\n\n`
  expect(splitter.push(encoder.encode(`data: a\n\n${large}data: b\n\n`))?.text).toBe("data: a\n\n")
  expect(() => splitter.push(new Uint8Array(0))).toThrow("larger than")
  expect(() => createEventSplitter().push(encoder.encode(large))).toThrow("larger than")
})
