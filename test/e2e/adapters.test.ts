import { join } from "node:path"
import { expect, test } from "vitest"
import { runCommand, startCommand, waitFor } from "./_processes.ts"

const fixtures = join(import.meta.dirname, "../../crates/rtrun-core/tests/fixtures")
const adapter = join(fixtures, "adapters/classifier")
const base = join(fixtures, "encoders/roberta")

test("an adapter is served over a local copy of its base", async () => {
  const worker = startCommand("rtrun", ["serve", adapter, "--base-path", base, "--port", "0"])
  await waitFor(() => worker.stdout().includes("listens on") || worker.child.exitCode !== null)
  const address = /http:\S+/.exec(worker.stdout())?.[0]
  expect(address, worker.stderr()).toBeDefined()
  await waitFor(async () => (await fetch(`${address}/health`)).ok)
  const { data } = (await (await fetch(`${address}/v1/models`)).json()) as { data: Record<string, unknown>[] }
  expect(data[0]).toMatchObject({
    id: "classifier",
    family: "sequence_classification",
    golden: { status: "matched" },
    adapter: { adapter_sha256: expect.stringMatching(/^[0-9a-f]{64}$/), base_sha256: expect.any(String) },
  })
  const answer = await fetch(`${address}/v1/classify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ input: "hello world" }),
  })
  expect(answer.status).toBe(200)
}, 60_000)

test("an adapter whose base is not known says how to give it", async () => {
  const { code, stderr } = await runCommand("rtrun", ["serve", adapter, "--port", "0"])
  expect(code).not.toBe(0)
  expect(stderr).toMatch(/does not pin its base model .* give a copy of the base with --base-path/)
}, 60_000)
