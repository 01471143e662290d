import type { DocumentChange, KeptDocument } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import route from "../../../ts/plugins/routes/knowledge-bases.ts"
import { type Answer, jsonPost, mountRoute } from "../../fakes/listener.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})

const path = "/api/v1/storage/knowledge-bases"
const managed = { name: "colours", source: { path: "knowledge_bases/colours/0123456789abcdef" }, threshold: 0.5 }
const own = { name: "own", source: { path: "ways", manifest: "ways.json" }, groups: { all: ["north"] } }
const files: Readonly<Record<string, object>> = {
  "knowledge_bases/colours/0123456789abcdef/labels.json": {
    description: "Colours",
    labels: { red: { description: "Like roses", exemplars: ["a rose"] }, blue: { exemplars: ["the sea"] } },
  },
}
const rule = { name: "warm", kb: "colours", target: { kind: "label", value: "red" } }

function mount(value: object, changes: DocumentChange[] = []) {
  const written = { ...files }
  const document: KeptDocument = {
    read: async () => ({ value: value as never, redacted: {}, etag: '"x"' }),
    check: async () => {},
    async readFile(name) {
      if (!Object.hasOwn(written, name)) throw new Error(`There is no file /secret/${name}`)
      return JSON.stringify(written[name])
    },
    async change(change) {
      changes.push(change)
      for (const [name, text] of Object.entries(change.files ?? {})) written[name] = JSON.parse(text) as object
      return { hash: "h", etag: '"y"', status: "pending", settled: Promise.resolve("active") }
    },
  }
  const ask = mountRoute(route, { document })
  const send = (method: string, name: string, body?: unknown): Promise<Answer> =>
    ask(name === "" ? path : `${path}/${name}`, { ...(body !== undefined && jsonPost(body)), method })
  return { changes, send }
}

const withBases = (kbs: unknown, more: object = {}): object => ({ global: { model_catalog: { kbs } }, ...more })
const nameOf = ({ body }: Answer): unknown => (body as { error?: { code?: unknown } }).error?.code
const labels = [{ name: "red", exemplars: ["a ruby"] }]

test("knowledge bases are listed and read with their labels and the rules of all profiles", async () => {
  const value = withBases([managed, own], {
    routing: { signals: { kb: [rule] } },
    recipes: [{ name: "other", routing: { signals: { kb: [{ ...rule, match: "best" }] } } }],
  })
  const { send } = mount(value)
  const colours = {
    name: "colours",
    type: "embedding_kb",
    builtin: false,
    managed: true,
    editable: true,
    threshold: 0.5,
    description: "Colours",
    source: { path: managed.source.path, manifest: "labels.json" },
    labels: [
      { name: "red", description: "Like roses", exemplars: ["a rose"] },
      { name: "blue", exemplars: ["the sea"] },
    ],
    signal_references: [
      { name: "warm", target: rule.target, match: "threshold" },
      { name: "warm", target: rule.target, match: "best", recipe: "other" },
    ],
    bind_options: { labels: ["red", "blue"], groups: [], metrics: ["best_score", "best_matched_score"] },
  }
  expect(await send("GET", "colours")).toMatchObject({ status: 200, body: colours })
  const { body } = await send("GET", "")
  expect(body).toMatchObject({
    items: [colours, { name: "own", managed: false, labels: [], load_error: expect.any(String) }],
  })
  expect(JSON.stringify(body)).not.toContain("secret")
  expect(nameOf(await send("GET", "nothing"))).toBe("KB_NOT_FOUND")
})

test("a document that declares none has the built-in ones, and keeps them when one is made", async () => {
  const { send, changes } = mount({})
  const { body } = await send("GET", "")
  expect(body).toMatchObject({ items: [{ name: "privacy_kb", builtin: true, editable: false }, { name: "mmlu_kb" }] })
  expect(await send("POST", "", { name: "mine", threshold: 0.2, description: "Mine", labels })).toMatchObject({
    status: 202,
    body: {
      name: "mine",
      builtin: false,
      managed: true,
      labels,
      activation_status: "pending",
      generated_runtime_hash: "h",
    },
  })
  const [{ values, files: written } = { values: [] }] = changes
  expect(values).toEqual([
    [
      ["global", "model_catalog", "kbs"],
      [
        expect.objectContaining({ name: "privacy_kb" }),
        expect.objectContaining({ name: "mmlu_kb" }),
        { name: "mine", source: { path: expect.any(String), manifest: "labels.json" }, threshold: 0.2 },
      ],
    ],
  ])
  const [[place, text] = ["", ""]] = Object.entries(written ?? {})
  expect(place).toMatch(/^knowledge_bases\/mine\/[0-9a-f]{16}\/labels\.json$/)
  expect(JSON.parse(text)).toEqual({
    version: "1.0.0",
    description: "Mine",
    labels: { red: { exemplars: ["a ruby"] } },
  })
})

test("one that the API has made is replaced and removed at its place", async () => {
  const { send, changes } = mount(withBases([own, managed]))
  const update = { labels, groups: { warm: ["red"] }, label_thresholds: { red: 0.9 }, metrics: [] }
  expect(await send("PUT", "colours", update)).toMatchObject({
    status: 202,
    body: { name: "colours", groups: { warm: ["red"] } },
  })
  expect(await send("DELETE", "colours")).toMatchObject({
    status: 202,
    body: { status: "deleted", name: "colours", activation_status: "pending", generated_runtime_hash: "h" },
  })
  const at = ["global", "model_catalog", "kbs", 1]
  expect(changes.map(({ values: [first] }) => first)).toEqual([
    [
      at,
      {
        name: "colours",
        source: expect.any(Object),
        groups: { warm: ["red"] },
        label_thresholds: { red: 0.9 },
        metrics: [],
      },
    ],
    [at, undefined],
  ])
})

test("another text is another file, so that the generation that serves keeps its own", async () => {
  const { send, changes } = mount(withBases([managed]))
  for (const exemplar of ["one", "two", "one"])
    await send("PUT", "colours", { labels: [{ name: "red", exemplars: [exemplar] }] })
  const [one, two, again] = changes.map(({ files: written = {} }) => Object.keys(written)[0])
  expect([one === again, one === two]).toEqual([true, false])
})

test("what cannot be done is refused with its code, and changes nothing", async () => {
  const { send, changes } = mount(withBases([own, managed]))
  const cases: readonly (readonly [method: string, name: string, body: unknown, code: string, status: number])[] = [
    ["POST", "", { name: "own", labels }, "KB_EXISTS", 409],
    ["POST", "", { name: "../own", labels }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels: [] }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels: [{ name: "a", exemplars: [] }] }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels, threshold: 1.5 }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels, other: 1 }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels: [...labels, ...labels] }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels, label_thresholds: { green: 1 } }, "INVALID_INPUT", 400],
    ["POST", "", { name: "new", labels, groups: { warm: ["green"] } }, "INVALID_INPUT", 400],
    [
      "POST",
      "",
      { name: "new", labels, metrics: [{ name: "m", type: "group_margin", positive_group: "a", negative_group: "b" }] },
      "INVALID_INPUT",
      400,
    ],
    [
      "POST",
      "",
      {
        name: "new",
        labels,
        groups: { a: ["red"] },
        metrics: [{ name: "Best_Score", type: "group_margin", positive_group: "a", negative_group: "a" }],
      },
      "INVALID_INPUT",
      400,
    ],
    ["PUT", "own", { labels }, "KB_READ_ONLY", 403],
    ["PUT", "none", { labels }, "KB_NOT_FOUND", 404],
    ["PUT", "colours", { name: "other", labels }, "INVALID_INPUT", 400],
    ["DELETE", "own", undefined, "KB_READ_ONLY", 403],
    ["DELETE", "none", undefined, "KB_NOT_FOUND", 404],
  ]
  for (const [method, name, body, code, status] of cases) {
    const answer = await send(method, name, body)
    expect([method, name, body, nameOf(answer), answer.status]).toEqual([method, name, body, code, status])
  }
  expect(changes).toEqual([])
})

test("a host without a file says so", async () => {
  const ask = mountRoute(route, { document: undefined })
  expect(nameOf(await ask(path))).toBe("CONFIG_UNAVAILABLE")
})

test("each change says what of the request goes into the document", async () => {
  const { send, changes } = mount(withBases([managed]))
  const given = { labels, description: "Colours" }
  await send("POST", "", { name: "more", ...given })
  await send("PUT", "colours", given)
  await send("DELETE", "colours")
  expect(changes.map(({ client }) => client.brought)).toEqual([{ name: "more", ...given }, given, undefined])
})
