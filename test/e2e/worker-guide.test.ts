// docs/worker.md against the worker itself: its examples are answered, and its tables are what it does.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { packageOf, startWorker } from "./_workers.ts"

const guide = readFileSync(join(import.meta.dirname, "../../docs/worker.md"), "utf8")

/** Cells of the rows of the table whose header begins with `first`. */
function table(first: string): readonly (readonly string[])[] {
  const lines = guide.split("\n")
  const start = lines.findIndex((line) => line.startsWith(`| ${first} |`))
  expect(start, `a table that begins with ${first}`).toBeGreaterThan(0)
  const rows = lines.slice(start, lines.indexOf("", start))
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const words = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? "")

test("the typed questions of the guide are answered in both forms, each type as the table says", async () => {
  const worker = await startWorker([packageOf("decisions/packed")])
  const [map, list] = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text ?? "") as object)

  const mapped = await worker.ask("/v1/decisions", map)
  expect(mapped.status, mapped.text).toBe(200)
  const { answers, sets, spans } = JSON.parse(mapped.text) as Record<string, Record<string, { type: string }>>
  expect(Object.entries(answers ?? {}).map(([id, { type }]) => [id, type])).toEqual([
    ["topic", "choice"],
    ["angry", "noul"],
    ["urgency", "score"],
    ["asks.refund", "noul"],
    ["asks.apology", "noul"],
    ["order", "noul"],
  ])
  expect([Object.keys(sets ?? {}), Object.keys(spans ?? {})]).toEqual([["asks"], ["order"]])

  const listed = await worker.ask("/v1/decisions", list)
  expect(listed.status, listed.text).toBe(200)
  const types = (JSON.parse(listed.text) as { answers: readonly { type: string }[] }).answers.map(({ type }) => type)
  const taken = table("Type").flatMap((row) => words(row[3] ?? ""))
  expect(types.toSorted()).toEqual(taken.toSorted())
})

test("the bundle of the guide is answered task by task", async () => {
  const worker = await startWorker(["signals"])
  const bundle = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text ?? "") as object)[2]
  const { status, text } = await worker.ask("/v1/bundle", bundle ?? {})
  expect(status, text).toBe(200)
  const { results } = JSON.parse(text) as { results: readonly Record<string, unknown>[] }
  expect(results.map((result) => [result["id"], result["status"], Object.keys(result).at(-1)])).toEqual([
    ["subject", 200, "classify"],
    ["people", 200, "classify"],
    ["vector", 200, "embeddings"],
  ])
})

test("the pair and the grounded answer of the guide are classified", async () => {
  const worker = await startWorker(["signals"])
  const bodies = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, text]) => JSON.parse(text ?? "") as object)
  const [pair, grounded] = await Promise.all(bodies.slice(3).map((body) => worker.ask("/v1/classify", body)))
  expect(JSON.parse(pair?.text ?? "")).toMatchObject({ head: "domain", results: [{ label: "math" }] })
  expect(JSON.parse(grounded?.text ?? "")).toMatchObject({
    head: "hallucination",
    results: [{ spans: [{ label: "UNSUPPORTED", start: 6, end: 9, text: "400" }] }],
  })
})

test("the log of the worker is as the guide says", async () => {
  const worker = await startWorker(["signals"], ["--port", "0", "--log-level", "info"])
  const ready = (): string | undefined =>
    worker
      .stderr()
      .split("\n")
      .find((line) => line.includes("load_ms"))
  await expect.poll(ready).toBeDefined()
  expect(JSON.parse(ready() ?? "")).toMatchObject({
    timestamp: expect.stringMatching(/^\d{4}-/),
    fields: { message: "model is ready", load_ms: expect.stringMatching(/^\d+$/) },
  })
})

test("every endpoint takes the values of overflow that the guide says it takes", async () => {
  const worker = await startWorker(["signals", packageOf("decisions/packed"), packageOf("classifiers/rerank")])
  const noul = { it: { type: "noul" } }
  const requests: Readonly<Record<string, readonly [string, object]>> = {
    "Typed questions": ["/v1/decisions", { model: "packed", state: "hello", questions: noul }],
    Classify: ["/v1/classify", { model: "signals", head: "domain", input: "hello" }],
    Embeddings: ["/v1/embeddings", { model: "signals", input: "hello" }],
    Rerank: ["/v1/rerank", { model: "rerank", query: "hello", documents: ["world"] }],
  }
  const [header = [], , ...rows] = table("Value")
  const found = []
  for (const [value] of rows)
    for (const endpoint of header.slice(2)) {
      const [path, body] = requests[endpoint] ?? ["", {}]
      const { status } = await worker.ask(path, { ...body, options: { overflow: words(value ?? "")[0] } })
      found.push([value, endpoint, status])
    }
  const said = rows.flatMap(([value, , ...cells]) =>
    cells.map((cell, index) => [value, header[index + 2], cell === "refused" ? 400 : 200]),
  )
  expect(found).toEqual(said)
})

test("the metrics of the guide are those of the worker, with their types and labels", async () => {
  const worker = await startWorker(["signals"])
  await worker.ask("/v1/embeddings", { input: "hello" })
  const { text } = await worker.ask("/metrics")
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  const exposed = types.map(([, name = "", type]) => {
    const sample = new RegExp(`^${name}(?:_total|_count)?(?:\\{([^}]*)\\})? `, "m").exec(text)
    const labels = [...(sample?.[1] ?? "").matchAll(/(\w+)="/g)].map(([, label]) => label)
    return [type === "counter" ? `${name}_total` : name, type, labels]
  })
  const [, , ...rows] = table("Metric")
  expect(rows.map(([name, type, labels]) => [words(name ?? "")[0], type, words(labels ?? "")])).toEqual(exposed)
})
