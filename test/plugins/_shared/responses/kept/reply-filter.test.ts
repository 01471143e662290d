import type { ByteSource, WireObject } from "rtr"
import { expect, test } from "vitest"
import { createReplyFilter } from "../../../../../ts/plugins/_shared/responses/kept/reply-filter.ts"

const own = { id: "resp_own", store: true }

function sourceOf(...pieces: readonly string[]): ByteSource & { cancelled: unknown[] } {
  const left = pieces.map((piece) => new TextEncoder().encode(piece))
  const cancelled: unknown[] = []
  return { cancelled, pull: async () => left.shift(), cancel: (reason) => void cancelled.push(reason) }
}

async function readAll(source: ByteSource): Promise<string[]> {
  const pieces: string[] = []
  for (let piece = await source.pull(); piece !== undefined; piece = await source.pull())
    pieces.push(new TextDecoder().decode(piece))
  return pieces
}
const event = (data: object): string => `event: e\ndata: ${JSON.stringify(data)}\n\n`

test("a whole reply gets the router's own fields and is kept before it is given on", async () => {
  const seen: WireObject[] = []
  const filter = createReplyFilter({ own, keep: async (response) => seen.push(response) > 0 })
  expect(JSON.parse(await filter.whole('{"id":"theirs","output":[]}'))).toEqual({ ...own, output: [] })
  expect(seen).toEqual([{ ...own, output: [] }])
})

test("a reply that could not be kept says so", async () => {
  const filter = createReplyFilter({ own, keep: async () => false })
  expect(JSON.parse(await filter.whole("{}"))).toEqual({ id: "resp_own", store: false })
  const [text] = await readAll(filter.stream(sourceOf(event({ type: "response.completed", response: {} }))))
  expect(text).toBe(event({ type: "response.completed", response: { id: "resp_own", store: false } }))
})

test("in a stream the events with the response are changed, and all others pass as they came", async () => {
  const seen: WireObject[] = []
  const told: string[] = []
  const filter = createReplyFilter({
    own,
    async keep(response) {
      told.push("kept")
      return seen.push(response) > 0
    },
  })
  const delta = event({ type: "response.output_text.delta", delta: '"type":"response.completed" "response":{}' })
  const odd = 'data: {"type":"response.completed", broken\n\n: ping\r\n\r\n'
  const source = sourceOf(
    event({ type: "response.created", response: { id: "theirs", status: "in_progress" } }) + delta,
    odd,
    delta,
    event({ type: "response.completed", sequence_number: 3, response: { id: "theirs", status: "completed" } }),
  )
  const filtered = filter.stream(source)
  const pieces: string[] = []
  for (let piece = await filtered.pull(); piece !== undefined; piece = await filtered.pull()) {
    const text = new TextDecoder().decode(piece)
    pieces.push(text)
    told.push(text.includes('"status":"completed"') ? "end" : "more")
  }
  expect(pieces).toEqual([
    event({ type: "response.created", response: { id: "resp_own", status: "in_progress", store: true } }) + delta,
    odd,
    delta,
    event({
      type: "response.completed",
      sequence_number: 3,
      response: { id: "resp_own", status: "completed", store: true },
    }),
  ])
  expect(seen).toEqual([{ ...own, status: "completed" }])
  expect(told).toEqual(["more", "more", "more", "kept", "end"])
  filtered.cancel("left")
  expect(source.cancelled).toEqual(["left"])
})
