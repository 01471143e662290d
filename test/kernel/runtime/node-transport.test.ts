import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { createNodeTransport } from "../../../ts/kernel/runtime/node-transport.ts"
import { startServer, transportContract } from "../../contracts/transport.ts"

describe("contract", () => {
  transportContract(createNodeTransport)
})

const request = { method: "POST", headers: {}, body: "{}", headersTimeoutMs: 1000, bodyTimeoutMs: 1000 } as const

test("connections are kept for the next request, and closed with the transport", async () => {
  const server = await startServer((_, response) => void response.end("{}"))
  const transport = createNodeTransport()
  for (let round = 0; round < 5; round++) await (await transport.request({ ...request, url: server.url })).text(10)
  // A second one may be opened before the first is free again.
  expect([1, 2]).toContain(server.open())
  await transport.close()
  await expect.poll(() => server.open()).toBe(0)
  await server.close()
})

test("a refused connection is told as such", async () => {
  const server = await startServer(() => {})
  await server.close()
  const transport = createNodeTransport()
  await expect(transport.request({ ...request, url: server.url })).rejects.toMatchObject({
    code: "upstream_unavailable",
    message: "the connection was refused",
  })
  await expect(transport.request({ ...request, url: "http://nobody.invalid" })).rejects.toMatchObject({
    message: "its host name is not known",
  })
  await transport.close()
})

describe("Unix sockets", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rtr-test-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test("are connected to by path, with the URL's path", async () => {
    const socketPath = join(folder, "w.sock")
    const server = await startServer((incoming, response) => void response.end(incoming.url), socketPath)
    const transport = createNodeTransport()
    for (let round = 0; round < 3; round++) {
      const response = await transport.request({ ...request, url: "http://worker/v1/bundle", socketPath })
      expect([response.status, await response.text(100)]).toEqual([200, "/v1/bundle"])
    }
    // A second one may be opened before the first is free again.
    expect([1, 2]).toContain(server.open())
    await transport.close()
    await expect.poll(() => server.open()).toBe(0)
    await server.close()
  })

  test("that are not there are told as such", async () => {
    const transport = createNodeTransport()
    await expect(
      transport.request({ ...request, url: "http://worker/", socketPath: join(folder, "none.sock") }),
    ).rejects.toMatchObject({ code: "upstream_unavailable", message: "its socket does not exist" })
    await transport.close()
  })
})
