import { type Inference, type KeptDocument, RtrError } from "rtr"
import { createFakeInference, routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/knowledge-maps.ts"
import { mountRoute } from "../../fakes/listener.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const path = "/api/v1/storage/knowledge-bases/colours/map"
const manifest = {
  description: "Colours",
  labels: { red: { exemplars: ["left", "right"] }, blue: { exemplars: ["middle"] } },
}
const kbs = [{ name: "colours", source: { path: "colours" }, groups: { all: ["red", "blue"] } }]

function mount(inference: Inference | undefined, labels: object = manifest) {
  const document: Pick<KeptDocument, "read" | "readFile"> = {
    read: async () => ({
      value: { global: { model_catalog: { kbs, bindings: { embedding: { deployment: "small" } } } } },
      redacted: {},
      etag: '"x"',
    }),
    readFile: async () => JSON.stringify(labels),
  }
  return mountRoute(route, { document: document as KeptDocument, other: () => ({ inference }) as never })
}

const places: Readonly<Record<string, readonly number[]>> = { left: [1, 0], right: [0, 1], middle: [1, 1] }
const working = createFakeInference({ embed: (text) => places[text] ?? [1, 0] })

test("the description names labels and groups", async () => {
  expect(await mount(undefined)(`${path}/metadata`)).toMatchObject({
    status: 200,
    body: {
      name: "colours",
      description: "Colours",
      projection: "pca_2d",
      model_type: "small",
      point_count: 3,
      label_count: 2,
      group_count: 1,
      label_names: ["red", "blue"],
      topic_label_hint: "label_name",
      groups: { all: ["red", "blue"] },
    },
  })
})

test("each sentence is a line with its label and its place, and is embedded once", async () => {
  const ask = mount(working)
  const { status, headers, text } = await ask(`${path}/data.ndjson`)
  expect([status, headers["content-type"], headers["cache-control"]]).toEqual([200, "application/x-ndjson", "no-cache"])
  const points = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { text: string; vector: number[] })
  expect(points).toMatchObject([
    { text: "left", label_name: "red", label_index: 0 },
    { text: "right", label_name: "red", label_index: 0 },
    { text: "middle", label_name: "blue", label_index: 1 },
  ])
  // (1, 0) and (0, 1) are √2 apart, and the third stands in their middle.
  const [left = 0, right = 0, middle = 1] = points.map(({ vector }) => vector[0])
  expect([Math.abs(left - right), middle]).toEqual([expect.closeTo(Math.SQRT2, 5), expect.closeTo(0, 5)])
  const { length } = working.calls
  expect((await ask(`${path}/data.ndjson`)).text).toBe(text)
  expect(working.calls.flat()).toHaveLength(3)
  expect(working.calls).toHaveLength(length)
})

test("of very many sentences each label shows as many as the others", async () => {
  const exemplars = Array.from({ length: 1500 }, (_, index) => `text ${index}`)
  const labels = { labels: { red: { exemplars }, blue: { exemplars } } }
  expect((await mount(undefined, labels)(`${path}/metadata`)).body).toMatchObject({ point_count: 2000 })
})

test("a map that cannot be drawn says why", async () => {
  const failing = createFakeInference({ failWith: new RtrError("unavailable", "secret") })
  const cases: readonly (readonly [Parameters<typeof mount>, string, number, string])[] = [
    [[undefined], "data.ndjson", 503, "KB_MAP_BUILD_ERROR"],
    [[failing], "data.ndjson", 503, "KB_MAP_BUILD_ERROR"],
    [[working, {}], "metadata", 500, "KB_MAP_BUILD_ERROR"],
  ]
  for (const [given, part, status, code] of cases) {
    const answer = await mount(...given)(`${path}/${part}`)
    expect([answer.status, (answer.body as { error: { code: string } }).error.code]).toEqual([status, code])
    expect(answer.text).not.toContain("secret")
  }
  const other = await mount(working)("/api/v1/storage/knowledge-bases/none/map/metadata")
  expect(other.status).toBe(404)
})
