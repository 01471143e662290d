import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createFakeInference } from "rtr/testing"
import { expect, test } from "vitest"
import { createEmbedAll, httpClient, storeServices } from "../../../ts/kernel/generations/services.ts"
import { createSharedResources } from "../../../ts/kernel/generations/shared-resources.ts"

test("a store gives what it has, and its lack is named with the place in the document", () => {
  const open = { kv: (name: string) => ({ of: name }) as never, close: async () => {} }
  const services = storeServices({ type: "small", shapes: ["kv"], open })
  expect(services.kv("signal:a")).toEqual({ of: "signal:a" })
  for (const [shape, ask] of [
    ["records", () => services.records("signal:a")],
    ["vectors", () => services.vectors("signal:a", 3)],
  ] as const)
    expect(ask).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        path: ["global", "stores", "state", "type"],
        message: `Cannot set up signal:a: it needs a store of shape ${shape}, and store "small" offers only kv`,
      }),
    )
})

test("vectors of the same model and texts are made once while somebody holds them", async () => {
  const resources = createSharedResources()
  const inference = createFakeInference()
  const asked = () => inference.calls.flat().length
  const open = (deployment: string) => createEmbedAll(inference, resources, () => deployment)
  const [first, second, other] = [open("a"), open("a"), open("b")]
  const vectors = await first.embedAll("x", ["one", "two"])
  expect(await second.embedAll("x", ["one", "two"])).toBe(vectors)
  expect(asked()).toBe(2)
  await other.embedAll("x", ["one", "two"])
  await second.embedAll("x", ["two", "one"])
  expect(asked()).toBe(6)
  for (const { leases } of [first, second]) for (const lease of leases) await lease.release()
  await open("a").embedAll("x", ["one", "two"])
  expect(asked()).toBe(8)
})

test("many texts go in several bundles, in their order", async () => {
  const inference = createFakeInference({ embed: (text) => [Number(text), 1] })
  const texts = Array.from({ length: 700 }, (_, number) => String(number))
  const vectors = await createEmbedAll(inference, createSharedResources(), String).embedAll("x", texts)
  // The fake gives vectors of length 1; their direction tells the text.
  expect(vectors.map(([value = 0, one = 1]) => Math.round(value / one))).toEqual(texts.map(Number))
  expect(inference.calls.length).toBeGreaterThan(1)
})

test("a kernel without inference cannot embed", async () => {
  await expect(createEmbedAll(undefined, createSharedResources(), String).embedAll("x", ["a"])).rejects.toMatchObject({
    code: "invalid_config",
  })
})

test("a service that does not answer is given up in its time, also beside a signal of the caller", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1")
  await once(server, "listening")
  try {
    const { port } = server.address() as AddressInfo
    const { signal } = new AbortController()
    for (const options of [{}, { signal }])
      await expect(httpClient.json(`http://127.0.0.1:${port}/`, { ...options, timeoutMs: 20 })).rejects.toMatchObject({
        code: "upstream_timeout",
      })
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
