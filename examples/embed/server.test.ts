import type { AddressInfo } from "node:net"
import { createFakeInference } from "rtr/testing"
import { expect, onTestFinished, test } from "vitest"
import { startBackend } from "../quickstart/backend.ts"
import { startServer } from "./server.ts"

test("routed chat and the host's own routes share one server", async () => {
  const backend = await startBackend("embedded", 0)
  const { server, url } = await startServer({
    backend: `http://127.0.0.1:${(backend.address() as AddressInfo).port}/v1`,
    inference: createFakeInference(),
  })
  onTestFinished(() => {
    server.close()
    backend.close()
  })

  const ask = async (content: string): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "MoM", messages: [{ role: "user", content }] }),
    })
  const code = await ask("There is a bug in my loop")
  expect([code.status, code.headers.get("x-rtr-selected-decision"), code.headers.get("x-selected-model")]).toEqual([
    200,
    "programming",
    "coder",
  ])
  expect(await code.json()).toMatchObject({
    model: "coder",
    choices: [{ message: { role: "assistant" } }],
    routing_metadata: { selected_model: "coder" },
  })
  expect((await ask("Good morning")).headers.get("x-selected-model")).toBe("small")
  expect(await (await fetch(url)).text()).toBe("Hello from your own server\n")
})
