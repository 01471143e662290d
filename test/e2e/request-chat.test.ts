// `rtr request chat` in every protocol of clients, against a router with a backend of chat completions.

import { writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  answerPolitely,
  type BackendHandler,
  chunkOf,
  providersOn,
  runCommand,
  startRouter,
  startTestBackend,
  temporaryFolder,
} from "./_processes.ts"

const apis = ["chat", "responses", "messages"]

async function setUp(answer: BackendHandler = answerPolitely) {
  const backend = await startTestBackend(answer)
  const router = await startRouter({ providers: providersOn(backend.endpoint, "small") })
  const ask = (...args: readonly string[]) =>
    runCommand("rtr", ["request", "chat", "--base-url", router.url, "--model", "small", ...args])
  return { ask, requests: backend.requests }
}

test("an answer comes whole or in pieces, in every protocol", async () => {
  const { ask, requests } = await setUp()
  for (const api of apis) {
    const whole = await ask("--api", api, "--system", "be brief", "--max-tokens", "9", "--temperature", "0.5", "hi")
    expect({ api, code: whole.code, stdout: whole.stdout }).toEqual({ api, code: 0, stdout: "hello\n" })
    expect(whole.stderr).toMatch(/^\(no decision\) → small/)
    expect(requests.at(-1)?.body).toMatchObject({
      messages: [{ content: "be brief" }, { role: "user", content: "hi" }],
      max_completion_tokens: 9,
      temperature: 0.5,
    })
    const streamed = await ask("--api", api, "--stream", "--quiet", "hi")
    expect({ api, ...streamed }).toEqual({ api, code: 0, stdout: "one two three four\n", stderr: "" })
    expect(requests.at(-1)?.body).toMatchObject({ stream: true })
  }
})

test("--json prints the reply, or a line for each event of a stream", async () => {
  const { ask } = await setUp()
  const routing = { "x-selected-model": "small" }
  const whole = await ask("--api", "messages", "--json", "hi")
  expect(JSON.parse(whole.stdout)).toMatchObject({ routing, reply: { type: "message" } })
  const { stdout, stderr } = await ask("--api", "responses", "--json", "--stream", "hi")
  const [first, ...events] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as object)
  expect([first, stderr]).toMatchObject([{ routing }, ""])
  expect([events[0], events.at(-1)]).toMatchObject([{ type: "response.created" }, { type: "response.completed" }])
})

test("pictures travel with the message", async () => {
  const { ask, requests } = await setUp()
  const file = join(temporaryFolder(), "picture")
  writeFileSync(file, Buffer.from("\x89PNG\r\n\x1a\n....", "latin1"))
  expect((await ask("--image", file, "--image", file, "what is this?")).code).toBe(0)
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgouLi4u" } }
  expect(requests[0]?.body["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "what is this?" }, image, image] },
  ])
})

test("an answer that breaks off is an error, and what came of it stays", async () => {
  const { ask } = await setUp((_, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunkOf("one "))
    setTimeout(() => response.destroy(), 50)
  })
  for (const api of apis) {
    const { code, stdout, stderr } = await ask("--api", api, "--stream", "--quiet", "hi")
    expect({ api, code, stdout }).toEqual({ api, code: 1, stdout: "one \n" })
    expect({ api, stderr }).toEqual({ api, stderr: expect.stringMatching(/^Error: The answer broke off: \S/) })
  }
})

test("a refusal of the router is told, and another protocol is refused", async () => {
  const { ask } = await setUp()
  expect(await ask("--api", "messages", "--model", "nope", "hi")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/The router answered 404: Model "nope" is not available/),
  })
  expect(await ask("--api", "soap", "hi")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("chat, responses"),
  })
})

test("an answer that takes longer than --timeout is given up", async () => {
  const { ask } = await setUp((_, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(chunkOf("one "))
  })
  const { code, stdout, stderr } = await ask("--stream", "--quiet", "--timeout", "1", "hi")
  expect([code, stdout, stderr]).toEqual([1, "one \n", "Error: The answer took longer than 1 s\n"])
})

test("without --model it asks for the one name of automatic routing that the listener of the document allows", async () => {
  const { endpoint, requests } = await startTestBackend(answerPolitely)
  const config = join(temporaryFolder(), "config.yaml")
  const document = (models: readonly string[]) => ({
    listeners: [{ name: "a", address: "127.0.0.1", port: Number(endpoint.split(":")[1]), models }],
    entrypoints: [{ model_names: ["acme/support"], recipe: "support" }],
  })
  const askedBy = async (models: readonly string[]): Promise<unknown> => {
    writeFileSync(config, JSON.stringify(document(models)))
    await runCommand("rtr", ["request", "chat", "--config", config, "hi"])
    return requests.at(-1)?.body
  }
  expect(await askedBy(["acme/support"])).toMatchObject({ model: "acme/support" })
  expect(await askedBy(["acme/support", "MoM"])).toMatchObject({ model: "rtr/auto" })
})
