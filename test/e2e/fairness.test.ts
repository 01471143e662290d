// Many texts of one client, and what the others wait for meanwhile. Bounds are many times what a free machine takes.

import { setTimeout as sleep } from "node:timers/promises"
import { createNativeInference } from "rtr/node"
import { expect, onTestFinished, test } from "vitest"
import { providersOn, startRouter, startTestBackend, type TestRouter, userMessage, waitFor } from "./_processes.ts"
import { startWorker } from "./_workers.ts"

const guards = {
  signals: {
    jailbreak: [{ name: "injection", include_history: true }],
    pii: [{ name: "private", include_history: true }],
  },
  decisions: [
    { name: "guard", rules: { type: "jailbreak", name: "injection" }, modelRefs: [{ model: "small" }] },
    { name: "private", rules: { type: "pii", name: "private" }, modelRefs: [{ model: "small" }] },
  ],
}

let texts = 0

/** A text that nobody has asked about. */
const freshText = (): string => `Please tell me about number ${(texts += 1)} of the list, ${texts * 7919} by name`

const conversation = (messages: number): object =>
  userMessage(freshText(), {
    messages: Array.from({ length: messages }, (_, index) => ({
      role: index % 2 === 1 && index < messages - 1 ? "assistant" : "user",
      content: freshText(),
    })),
  })

/** Milliseconds of short prompts, one after the other. */
async function askShortPrompts(router: TestRouter, count: number): Promise<readonly number[]> {
  const took: number[] = []
  for (let prompt = 0; prompt < count; prompt += 1) {
    const startedAt = performance.now()
    const response = await router.ask(userMessage(freshText()))
    await response.text()
    expect(response.status).toBe(200)
    took.push(performance.now() - startedAt)
    await sleep(20)
  }
  return took.toSorted((a, b) => a - b)
}

test("short prompts do not wait for the histories of others", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({ providers: providersOn(backend.endpoint, "small"), routing: guards })
  await waitFor(async () => (await router.ask(userMessage(freshText()))).ok, 60_000)
  const alone = await askShortPrompts(router, 20)

  let answered = 0
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  for (let client = 0; client < 10; client += 1)
    void fetch(`${router.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(conversation(500)),
      signal: leave.signal,
    }).then(
      () => (answered += 1),
      () => {},
    )
  await sleep(1000)
  const beside = await askShortPrompts(router, 20)

  expect(answered, "the others are not done yet").toBeLessThan(10)
  const median = (values: readonly number[]): number => values[Math.floor(values.length / 2)] ?? Number.NaN
  // Without shares the median is that of the histories themselves: ten seconds.
  expect(median(beside)).toBeLessThan(10 * median(alone) + 500)
}, 180_000)

test("what a client asked for that has left is dropped at the worker", async () => {
  const worker = await startWorker(["signals"])
  const backend = await startTestBackend()
  const { host, port } = worker.address as { host: string; port: number }
  const router = await startRouter({
    providers: providersOn(backend.endpoint, "small"),
    routing: guards,
    global: {
      model_catalog: {
        deployments: { default: { endpoint: `http://${host}:${port}`, served_name: "signals" } },
      },
    },
  })
  await waitFor(async () => (await router.ask(userMessage(freshText()))).ok, 60_000)
  const leave = new AbortController()
  const left = fetch(`${router.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(conversation(900)),
    signal: leave.signal,
  }).catch(() => undefined)
  await waitFor(async () => (await worker.metric("rtrun_queue_depth")) > 0)
  leave.abort()
  await left
  await waitFor(async () => (await worker.metric("rtrun_queue_depth")) === 0, 5000)
  const isTold = async (): Promise<boolean> =>
    /rtrun_requests_total\{[^}]*status="499"\}/.test((await worker.ask("/metrics")).text)
  await waitFor(isTold)
  const bundles = await worker.metric("rtrun_bundle_tasks_count")
  await sleep(500)
  expect(await worker.metric("rtrun_bundle_tasks_count"), "the rest is not sent").toBe(bundles)
}, 120_000)

test("what a caller in this process asked for that has left is dropped", async () => {
  const inference = await createNativeInference({ models: { default: "signals" }, threads: 1 })
  const leave = new AbortController()
  const tasks = Array.from({ length: 64 }, () => ({
    kind: "classify" as const,
    deployment: "default",
    head: "domain",
    text: freshText().repeat(200),
    whole: true,
  }))
  const asked = inference.bundle(tasks, { signal: leave.signal })
  await sleep(200)
  leave.abort()
  const answers = await asked
  expect(answers.map((answer) => (answer.kind === "error" ? answer.error.code : answer.kind))).toEqual(
    tasks.map(() => "client_closed_request"),
  )
  // Closing waits for what is under way, which would take many times as long.
  const startedAt = performance.now()
  await inference.close()
  expect(performance.now() - startedAt).toBeLessThan(4000)
}, 60_000)
