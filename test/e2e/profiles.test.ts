// Profiles as an operator meets them: compared ahead by `prepare`, told by the card, kept between starts.

import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder } from "../fakes/hub.ts"
import { runCommand, startCommand, waitFor } from "./_processes.ts"

const fixtures = join(import.meta.dirname, "../../crates/rtrun-core/tests/fixtures")

interface Card {
  readonly id: string
  readonly profile: string
  readonly profile_report: Readonly<Record<string, unknown>>
}

async function serveCards(args: readonly string[]): Promise<readonly Card[]> {
  const worker = startCommand("rtrun", ["serve", "--port", "0", ...args])
  await waitFor(() => worker.stdout().includes("listens on") || worker.child.exitCode !== null, 30_000)
  const address = /http:\S+/.exec(worker.stdout())?.[0]
  expect(address, worker.stderr()).toBeDefined()
  await waitFor(async () => (await fetch(`${address}/health`)).ok, 30_000)
  const { data } = (await (await fetch(`${address}/v1/models`)).json()) as { data: readonly Card[] }
  return data
}

test("what prepare found about max_speed is kept, and the card says the same", async () => {
  const kept = emptyFolder()
  const options = ["--profile", "max_speed", "--autotune-cache", kept]
  const models = [join(fixtures, "decisions/marker"), join(fixtures, "static")]
  const { stdout } = await runCommand("rtrun", ["prepare", "--json", ...options, ...models])
  const prepared = JSON.parse(stdout) as readonly { profile: Readonly<Record<string, unknown>> }[]
  // A processor without the instructions serves exactly, and says so.
  const found = prepared.map(({ profile }) => profile)
  expect(found.every(({ served, probes, reason }) => (served === "max_speed" ? Number(probes) > 200 : reason))).toBe(
    true,
  )
  expect(found[1]).toMatchObject({ served: "exact", reason: expect.stringContaining("model.safetensors") })

  const files = readdirSync(kept)
  const cards = await serveCards([...options, ...models])
  expect(cards.map((card) => card.profile_report)).toEqual(found)
  expect(cards.map((card) => card.profile)).toEqual(found.map(({ served }) => served))
  expect(readdirSync(kept)).toEqual(files)
}, 60_000)

test("batching and shared_context are served where the family has them, and refused where not", async () => {
  const [packed] = await serveCards([join(fixtures, "decisions/packed"), "--profile", "shared_context"])
  expect(packed).toMatchObject({ profile: "shared_context" })
  const [batching] = await serveCards([join(fixtures, "embeddings"), "--profile", "batching"])
  expect(batching).toMatchObject({ profile: "batching" })

  const refused = startCommand("rtrun", [
    "serve",
    "--port",
    "0",
    join(fixtures, "embeddings"),
    "--profile",
    "shared_context",
    "--load-attempts",
    "1",
  ])
  await waitFor(() => refused.stderr().includes("did not load"), 30_000)
  expect(refused.stderr()).toMatch(/shared_context.*reads a state anew for every question/)
}, 60_000)
