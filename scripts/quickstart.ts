// npm run quickstart: serves examples/quickstart, sends its prompts and shows where each one went.

import { type ChildProcess, spawn } from "node:child_process"
import type { Server } from "node:http"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { styleText } from "node:util"
import { startBackend } from "../examples/quickstart/backend.ts"
import { type SamplePrompt, samplePrompts } from "../examples/quickstart/prompts.ts"
import { table } from "../ts/cli/print.ts"
import { readAddresses } from "../ts/kernel/runtime/read-addresses.ts"

const root = join(import.meta.dirname, "..")
const document = join(root, "examples/quickstart/config.yaml")
const addresses = await readAddresses(document)
const inference = addresses.listener().url
const management = addresses.management().url
const backends = { small: 9101, coder: 9102, expert: 9103, painter: 9104 }

const [option, ...more] = process.argv.slice(2)
const once = option === "--once"
if ((option !== undefined && !once) || more.length > 0) {
  process.stderr.write("usage: npm run quickstart [-- --once]\n  --once   end after the table\n")
  process.exit(2)
}
const startedAt = performance.now()
let router: ChildProcess | undefined
let servers: readonly Server[] = []
servers = await Promise.all(
  Object.entries(backends).map(([name, port]) =>
    startBackend(name, port).catch((error: Error) => fail(`Cannot start backend ${name}: ${error.message}`)),
  ),
)
router = spawn(process.execPath, [join(root, "bin/rtr.js"), "serve", "--config", document], {
  stdio: ["ignore", "inherit", "inherit"],
})
process.once("SIGINT", () => void stop(130))
process.once("SIGTERM", () => void stop(143))

await waitUntilReady(router)
// A router that nobody stops would keep its ports.
const results = await showPrompts().catch((error: Error) =>
  fail(`Cannot show the prompts: ${error.stack ?? error.message}`),
)
const wrong = results.filter(({ prompt, decision }) => prompt.decision !== decision)
for (const { prompt, decision } of wrong)
  process.stderr.write(
    `Expected "${cut(prompt.text, 60)}" to reach ${prompt.decision ?? "(no decision)"}, it reached ${decision ?? "(no decision)"}\n`,
  )
if (once) await stop(wrong.length === 0 ? 0 : 1)
else showWhatToTry()

interface Result {
  readonly prompt: SamplePrompt
  readonly decision: string | undefined
}

async function waitUntilReady(child: ChildProcess): Promise<void> {
  child.once("exit", (code) => void stop(code ?? 1))
  for (;;) {
    const ready = await fetch(`${inference}/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    await sleep(50)
  }
}

async function showPrompts(): Promise<readonly Result[]> {
  const rows: string[][] = []
  const sent: Result[] = []
  for (const prompt of samplePrompts) {
    const { decision, model, signalMs, totalMs } = await ask(prompt)
    const mark =
      decision === prompt.decision
        ? styleText("green", "✓", { stream: process.stdout })
        : styleText("red", "✗", { stream: process.stdout })
    rows.push([
      cut(prompt.text, 46),
      cut(await firedSignals(prompt), 58),
      `${decision ?? "(none)"} `,
      model,
      signalMs,
      totalMs,
      mark,
    ])
    sent.push({ prompt, decision })
  }
  process.stdout.write(
    `\n${table(["Prompt", "Signals that fired", "Decision", "Model", "Signals ms", "Total ms", ""], rows)}\n`,
  )
  process.stdout.write(
    `\n${sent.length} prompts, ${((performance.now() - startedAt) / 1000).toFixed(1)} s since the start\n`,
  )
  return sent
}

/** The conversation that the prompt ends. */
function messagesOf({ text, previous }: SamplePrompt): readonly object[] {
  const before = previous === undefined ? [] : [{ role: "assistant", content: previous }]
  return [...before, { role: "user", content: text }]
}

async function ask(
  prompt: SamplePrompt,
): Promise<{ decision: string | undefined; model: string; signalMs: string; totalMs: string }> {
  const askedAt = performance.now()
  const response = await fetch(`${inference}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "MoM", messages: messagesOf(prompt) }),
  })
  const body = await response.text()
  if (!response.ok) return fail(`The router answered ${response.status}: ${body}`)
  const header = (name: string): string | undefined => response.headers.get(name) ?? undefined
  return {
    decision: header("x-rtr-selected-decision"),
    model: header("x-selected-model") ?? `(${header("x-rtr-response-path") ?? ""})`,
    signalMs: Number(header("x-rtr-routing-latency-ms") ?? 0).toFixed(1),
    totalMs: (performance.now() - askedAt).toFixed(1),
  }
}

async function firedSignals(prompt: SamplePrompt): Promise<string> {
  const response = await fetch(`${management}/api/v1/routing/preview`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: messagesOf(prompt) }),
  })
  const { signal_confidences: fired = {} } = (await response.json()) as { signal_confidences?: Record<string, number> }
  return Object.entries(fired)
    .map(([signal, confidence]) => `${signal} ${confidence.toFixed(2)}`)
    .join(", ")
}

function showWhatToTry(): void {
  process.stdout.write(`
The router keeps running. Try it from another terminal:

  curl ${inference}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{"model": "MoM", "messages": [{"role": "user", "content": "Explain recursion in Rust"}]}' -i

  import OpenAI from "openai"
  const client = new OpenAI({ baseURL: "${inference}/v1", apiKey: "unused" })
  const reply = await client.chat.completions.create({ model: "MoM", messages: [{ role: "user", content: "Is 91 prime" }] })

  npx rtr route preview --prompt "My pager went off" --trace
  npx rtr status

Real providers: change a backend in examples/quickstart/config.yaml, as its comment says. Stop with Ctrl-C.
`)
}

/** Stops the router and the backends, then ends with this code. */
async function stop(code: number): Promise<never> {
  const child = router
  child?.removeAllListeners("exit")
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGTERM")
    await exited
  }
  for (const server of servers) server.close()
  process.exit(code)
}

async function fail(message: string): Promise<never> {
  process.stderr.write(`${message}\n`)
  return stop(1)
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
