import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import { besideRequests, startRouter, startTestBackend, userMessage, waitFor } from "./_processes.ts"

const modelOn = (reliability: object, ...endpoints: readonly string[]): object => ({
  defaults: { model: "small" },
  models: [{ name: "small", reliability, backend_refs: endpoints.map((endpoint) => ({ endpoint })) }],
})

test("a full outage with 500 clients keeps the retry budget", async () => {
  let asked = 0
  const backend = await startTestBackend((_, response) => {
    asked += 1
    response.writeHead(503, { "content-type": "application/json" }).end('{"error":{"message":"down"}}')
  })
  const router = await startRouter({ providers: modelOn({ retry_count: 5 }, backend.endpoint) })
  const answers = await Promise.all(
    Array.from({ length: 500 }, async () => {
      const response = await router.ask(userMessage("hi"))
      return {
        status: response.status,
        attempts: response.headers.get("x-rtr-attempts")?.split(",").length ?? 0,
        text: await response.text(),
      }
    }),
  )
  const attempts = answers.reduce((sum, answer) => sum + answer.attempts, 0)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
  // A fifth of the requests at most, and those three that are allowed in any case.
  expect(asked).toBeLessThanOrEqual(500 + 100 + 3)
  expect(asked).toBeGreaterThan(500)
  // What the headers, the backend and the metrics tell is the same.
  const metrics = await (await fetch(`${router.metrics}/metrics`)).text()
  const counted = Number(/^llm_upstream_attempts_total\{[^}]*outcome="upstream_5xx"[^}]*\} (\d+)$/m.exec(metrics)?.[1])
  const retried = Number(/^llm_upstream_retries_total\{model="small"\} (\d+)$/m.exec(metrics)?.[1])
  expect({ attempts, counted, retried }).toEqual({ attempts: asked, counted: asked, retried: asked - 500 })
})

test("a backend that is down is tried, left out, and the vendors' clients notice nothing", async () => {
  const healthy = await startTestBackend()
  const router = await startRouter({
    providers: modelOn({ retry_count: 1, consecutive_5xx: 2 }, "127.0.0.1:1", healthy.endpoint),
  })
  const openai = new OpenAI({ baseURL: `${router.url}/v1`, apiKey: "none", maxRetries: 0 })
  const anthropic = new Anthropic({ baseURL: router.url, apiKey: "none", maxRetries: 0 })
  const trails: (string | null)[] = []
  for (let round = 0; round < 4; round++) {
    const { data, response } = await openai.chat.completions
      .create({ model: "small", messages: [{ role: "user", content: "hi" }] })
      .withResponse()
    trails.push(response.headers.get("x-rtr-attempts"))
    expect(data.choices[0]?.message.content).toBeTruthy()
  }
  // Found out within its first two calls, and left alone from then on.
  expect(trails.filter((trail) => trail?.includes("unavailable")).length).toBe(2)
  expect(trails.at(-1)).toBe("small/backend-2=200")
  const stream = anthropic.messages.stream({
    model: "small",
    max_tokens: 100,
    messages: [{ role: "user", content: "hi" }],
  })
  expect(await stream.finalText()).toBeTruthy()
  const metrics = await (await fetch(`${router.metrics}/metrics`)).text()
  expect(metrics).toMatch(/^llm_upstream_ejections_total\{model="small",backend="backend-1"\} 1$/m)
  expect(besideRequests(router.stderr()).filter((line) => line.includes('"level":"error"'))).toEqual([])
})

test("a client that leaves during a pause ends the attempts", async () => {
  let asked = 0
  const backend = await startTestBackend((_, response) => {
    asked += 1
    response.writeHead(429, { "content-type": "application/json", "retry-after": "1" }).end("{}")
  })
  const router = await startRouter({ providers: modelOn({ retry_count: 3 }, backend.endpoint) })
  const controller = new AbortController()
  const asking = fetch(`${router.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(userMessage("hi")),
    signal: controller.signal,
  })
  await waitFor(() => asked > 0)
  controller.abort()
  await expect(asking).rejects.toThrow("aborted")
  // Past the time after which the backend wanted to be asked again.
  await sleep(1500)
  expect(asked).toBe(1)
})
