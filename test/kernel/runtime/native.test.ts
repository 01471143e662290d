import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { createKernel } from "rtr"
import { createNativeInference, listDevices, openEngine } from "rtr/node"
import { describe, expect, onTestFinished, test } from "vitest"
import { findRuntimeLibrary } from "../../../ts/kernel/runtime/native.ts"
import { findBuiltinPackage } from "../../../ts/kernel/runtime/packages/builtin.ts"

const root = join(import.meta.dirname, "../../..")
const staticPackage = findBuiltinPackage("static") ?? ""

test("texts are embedded and classified in this process", async () => {
  const inference = await createNativeInference({ models: { starter: "minilm" }, threads: 1 })
  onTestFinished(() => inference.close())
  const text = "What is the derivative of x squared?"
  const answers = await inference.bundle([
    { kind: "embed", deployment: "starter", text },
    { kind: "classify", deployment: "starter", head: "domain", text },
    { kind: "classify", deployment: "starter", head: "no-such-head", text },
    { kind: "embed", deployment: "elsewhere", text },
  ])
  const [embedded, classified, headless, elsewhere] = answers
  expect(embedded?.kind === "embed" && [embedded.vector.length, Math.hypot(...embedded.vector).toFixed(4)]).toEqual([
    384,
    "1.0000",
  ])
  expect(classified?.kind === "classify" && classified.classification.labels).toHaveLength(14)
  expect(
    classified?.kind === "classify" && classified.classification.probabilities.reduce((sum, value) => sum + value, 0),
  ).toBeCloseTo(1, 5)
  expect(headless).toMatchObject({ kind: "error", error: { name: "RtrError" } })
  expect(elsewhere).toMatchObject({ kind: "error", error: { code: "model_not_found" } })
})

test("a text that is to be read whole makes no vector when it is too long", async () => {
  const inference = await createNativeInference({ models: { starter: "minilm" }, threads: 1 })
  onTestFinished(() => inference.close())
  const text = "word ".repeat(1000)
  const answers = await inference.bundle([
    { kind: "embed", deployment: "starter", text },
    { kind: "embed", deployment: "starter", text, whole: true },
    { kind: "embed", deployment: "starter", text: "word", whole: true },
  ])
  expect(answers.map((answer) => (answer.kind === "error" ? answer.error.code : answer.kind))).toEqual([
    "embed",
    "max_length_exceeded",
    "embed",
  ])
})

test("a kernel with inference in its process routes by meaning", async () => {
  const inference = await createNativeInference({ models: { starter: "static" } })
  const kernel = await createKernel({
    inference,
    config: {
      version: "v0.3",
      routing: {
        signals: { embeddings: [{ name: "weather", threshold: 0.5, candidates: ["What is the weather like today?"] }] },
        decisions: [
          {
            name: "weather",
            rules: { type: "embedding", name: "weather" },
            plugins: [{ type: "fast_response", configuration: { message: "Look outside" } }],
          },
        ],
      },
    },
  })
  onTestFinished(() => kernel.close())
  const ask = async (content: string): Promise<Response> =>
    kernel.fetch(
      new Request("http://router/v1/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "MoM", messages: [{ role: "user", content }] }),
      }),
    )
  expect((await ask("How is the weather today?")).headers.get("x-rtr-selected-decision")).toBe("weather")
  expect((await ask("Write a sorting function")).status).toBe(400)
})

describe("what cannot work is refused with its reason", () => {
  test.each([
    [{ device: "rocm" }, /rocm/],
    [{ profile: "fastest" }, /fastest/],
    [{ engine: "native" }, /native/],
    [{ family: "sparse" }, /sparse/],
  ])("%j", async (options, message) => {
    await expect(openEngine({ models: [{ name: "m", path: staticPackage, ...options }] })).rejects.toThrow(message)
  })

  test("a folder that is no package", async () => {
    await expect(createNativeInference({ models: { m: "/no/such/folder" } })).rejects.toThrow(/Cannot load model "m"/)
  })
})

test("devices are listed, the processor first", async () => {
  expect(await listDevices()).toContainEqual(expect.objectContaining({ id: "cpu", available: true }))
})

test("a process may end while a forward runs, without noise", () => {
  const script = `
    import { createNativeInference } from "rtr/node"
    const inference = await createNativeInference({ models: { m: "minilm" } })
    for (let index = 0; index < 8; index++) void inference.bundle([{ kind: "embed", deployment: "m", text: "word ".repeat(200) + index }])
    setTimeout(() => process.exit(0), 20 + Number(process.argv[1]) * 7)`
  for (let round = 0; round < 5; round++) {
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script, String(round)], {
      cwd: root,
      encoding: "utf8",
    })
    expect([status, stderr.split("\n").filter((line) => !line.startsWith("{"))]).toEqual([0, [""]])
  }
})

test("the runtime library may be named by the environment", () => {
  expect(findRuntimeLibrary()).toMatch(/onnxruntime/)
})
