// What a client with short prompts waits for while others ask very much of the same models.

import { spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { local } from "../_shared/load/address.ts"
import { runLoad } from "../_shared/load/closed-loop.ts"
import { prepareRequest } from "../_shared/load/prepared-request.ts"
import { markdownTable } from "../_shared/markdown-table.ts"
import { readOptions } from "../_shared/options.ts"
import { node, startServer } from "../_shared/server-process.ts"
import { median, quantile } from "../_shared/statistics.ts"
import { createTextMaker } from "../inference/texts.ts"
import { packageFolder } from "../inference/worker.ts"
import { expectedInJson } from "../overhead/backend-replies.ts"
import { ports } from "../overhead/ports.ts"
import { crowds } from "./crowds.ts"

const routerPort = 19021
const promptTokens = 16
/** Between an answer and the next prompt, so that prompts themselves are no load. */
const pauseMs = 20
/** Until the crowd is at work. */
const settleMs = 3000

const options = readOptions("usage: node bench/fairness/run.ts [--seconds N] [--only CROWD,...] [--rtr bin/rtr.js]", {
  rounds: 1,
  seconds: 15,
})
const texts = createTextMaker(packageFolder, 1)
const stops: (() => Promise<unknown>)[] = []

interface Sample {
  readonly latencies: readonly number[]
  /** Prompts that a guard could not read. */
  readonly unread: number
}

async function askShortPrompts(): Promise<Sample> {
  const latencies: number[] = []
  let unread = 0
  await runLoad({
    address: local(routerPort),
    connections: 1,
    seconds: options.seconds,
    pauseMs,
    nextRequest: () =>
      prepareRequest({
        path: "/v1/chat/completions",
        body: { model: "MoM", messages: [{ role: "user", content: texts.ofTokens(promptTokens) }] },
        expected: expectedInJson,
      }),
    onReply: (reply, latencyMs) => {
      latencies.push(latencyMs)
      if (reply.header("x-rtr-applied-unknown-policy") !== undefined) unread += 1
    },
  })
  return { latencies, unread }
}

/** Prompts beside a crowd, and what became of the crowd's requests. */
async function askBeside(crowd: string): Promise<Sample & { readonly answers: string }> {
  const child = spawn(node, [join(import.meta.dirname, "crowd.ts"), String(routerPort), crowd], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  let printed = ""
  child.stdout.on("data", (piece: Buffer) => (printed += piece.toString()))
  await sleep(settleMs)
  try {
    const sample = await askShortPrompts()
    const answers = printed
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split(" "))
    const took = answers.map(([, ms]) => Number(ms))
    const statuses = [...Map.groupBy(answers, ([status]) => status)].map(
      ([status, those]) => `${those.length} × ${status}`,
    )
    return {
      ...sample,
      answers: answers.length === 0 ? "none" : `${statuses.join(", ")}; p50 ${Math.round(median(took))} ms`,
    }
  } finally {
    child.kill("SIGKILL")
    // What it has asked for is dropped before the next measurement.
    await sleep(settleMs)
  }
}

try {
  const backend = await startServer({
    name: "the mock backend",
    command: node,
    args: [join(import.meta.dirname, "../overhead/backend.ts"), String(ports.backend)],
    address: local(ports.backend),
  })
  stops.push(() => backend.stop())
  const router = await startServer({
    name: "rtr",
    command: node,
    args: [options.rtr, "serve", "--config", join(import.meta.dirname, "router.yaml"), "--metrics-port", "0"],
    address: local(routerPort),
  })
  stops.unshift(() => router.stop())
  await sleep(settleMs)
  const rows: string[][] = []
  const show = (name: string, { latencies, unread }: Sample, alone: number, answers = ""): void => {
    const ms = (value: number): string => value.toFixed(1)
    const p50 = median(latencies)
    const row = [
      name,
      ms(p50),
      ms(quantile(latencies, 0.95)),
      (p50 / alone).toFixed(2),
      String(latencies.length),
      String(unread),
      answers,
    ]
    process.stdout.write(`${row.join("  ")}\n`)
    rows.push(row)
  }
  for (const crowd of crowds.filter(({ name }) => options.only.length === 0 || options.only.includes(name))) {
    const alone = await askShortPrompts()
    show("nobody else", alone, median(alone.latencies))
    const beside = await askBeside(crowd.name)
    show(crowd.about, beside, median(alone.latencies), beside.answers)
  }
  const head = ["Beside", "p50 ms", "p95 ms", "times alone", "prompts", "unread", "answers to the crowd"]
  process.stdout.write(`\n${markdownTable(head, rows)}\n`)
} finally {
  for (const stop of stops) await stop()
}
