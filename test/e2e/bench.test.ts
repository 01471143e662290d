import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand } from "./_processes.ts"

const fixtures = join(import.meta.dirname, "../../crates/rtrun-core/tests/fixtures")

interface Printed {
  readonly model: string
  readonly path: string
  readonly memory_mib: object
  readonly rows: readonly Readonly<Record<string, number>>[]
}

async function bench(...args: readonly string[]): Promise<Printed> {
  const { code, stdout, stderr } = await runCommand("rtrun", ["bench", ...args, "--seconds", "0.1", "--format", "json"])
  expect([code, stderr]).toEqual([0, ""])
  return JSON.parse(stdout) as Printed
}

test("bench measures every length at every number of connections, with texts of exactly that length", async () => {
  const { model, path, rows, memory_mib: memory } = await bench("signals", "--lengths", "16,64", "--connections", "1,2")
  expect([model, path]).toEqual(["signals", "/v1/embeddings"])
  expect(rows.map(({ tokens, connections }) => [tokens, connections])).toEqual([
    [16, 1],
    [16, 2],
    [64, 1],
    [64, 2],
  ])
  for (const row of rows) {
    expect(row["forward_ms"], "a lone forward is a part of its call").toBeGreaterThan(0)
    expect(row["p50_ms"]).toBeGreaterThan(row["forward_ms"] ?? 0)
    expect(row["p99_ms"]).toBeGreaterThanOrEqual(row["p50_ms"] ?? 0)
    expect(row["tokens_per_second"]).toBeCloseTo((row["requests_per_second"] ?? 0) * (row["tokens"] ?? 0), 6)
  }
  // Only Linux tells.
  const told = process.platform === "linux" ? "number" : "object"
  expect(Object.entries(memory).map(([name, size]) => [name, typeof size])).toEqual([
    ["ready", told],
    ["after", told],
    ["peak", told],
  ])
})

test.each([
  ["classifiers/roberta", "/v1/classify"],
  ["classifiers/rerank", "/v1/rerank"],
  ["decisions/packed", "/v1/decisions"],
  ["decisions/marker", "/v1/decisions"],
])("bench asks %s at %s", async (folder, path) => {
  const printed = await bench(join(fixtures, folder), "--lengths", "48", "--connections", "1")
  expect(printed.path).toBe(path)
  expect(printed.rows[0]?.["requests_per_second"]).toBeGreaterThan(0)
  expect(printed.rows[0]?.["tokens"]).toBeGreaterThan(8)
})

test("bench prints Markdown, and says what it cut", async () => {
  const { stdout } = await runCommand("rtrun", [
    "bench",
    "signals",
    "--lengths",
    "8,512",
    "--connections",
    "1",
    "--seconds",
    "0.1",
    "--format",
    "markdown",
  ])
  const lines = stdout.split("\n")
  expect(lines[0]).toMatch(
    /^signals \(embeddings\) at \/v1\/embeddings, profile exact, onnxruntime on cpu with \d+ threads; /,
  )
  expect(lines.slice(2, 4)).toEqual([
    "| Tokens | Connections | Requests/s | Tokens/s | p50 ms | p99 ms | Forward ms |",
    "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
  ])
  expect(lines.slice(4, 6)).toEqual([expect.stringMatching(/^\| 8 \| 1 \|/), expect.stringMatching(/^\| 256 \| 1 \|/)])
  expect(stdout).toMatch(/The model reads 256 tokens at once; 512 was cut to that\./)
})

test("bench says what it raised, as with questions, which stand in the row beside the text", async () => {
  const options = ["--lengths", "8,16,100", "--connections", "1", "--seconds", "0.1", "--format", "markdown"]
  const { stdout } = await runCommand("rtrun", ["bench", join(fixtures, "decisions/packed"), ...options])
  const [, least] = /\| (\d+) \| 1 \|/.exec(stdout) ?? []
  expect(Number(least)).toBeGreaterThan(16)
  expect(stdout.match(/^\| \d+ \|/gm)).toEqual([`| ${least} |`, "| 100 |"])
  expect(stdout).toContain(`The shortest request takes ${least} tokens; 8, 16 were raised to that.`)
})

test("bench ends with the worker's own reason when a model cannot be served as asked", async () => {
  const { code, stdout, stderr } = await runCommand("rtrun", [
    "bench",
    join(fixtures, "classifiers/roberta"),
    "--profile",
    "shared_context",
  ])
  expect([code, stdout]).toEqual([1, ""])
  expect(stderr).toMatch(/^Error: Cannot load model "roberta" with the profile "shared_context"/)
})
