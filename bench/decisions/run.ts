// What a document with 100 rules, 40 decisions and projections costs beside its models, which answer at once here: reading all
// signals and deciding, and projections and decisions alone.

import { createKernel, type Fact, type Inference, type InferenceAnswer, loadGuardTexts } from "rtr"
import { chatRequest, textTurn } from "rtr/testing"
import { decide } from "../../ts/kernel/pipeline/decide.ts"
import { createQuestionBatch } from "../../ts/kernel/pipeline/question-batch.ts"
import { readSignals, toSignalInput } from "../../ts/kernel/pipeline/signals.ts"
import type { Facts } from "../../ts/kernel/types/call.ts"
import type { SignalInput } from "../../ts/kernel/types/signal.ts"
import { readOrigin } from "../_shared/machine.ts"
import { readOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { writeResult } from "../_shared/results.ts"
import { median, quantile, short, spreadOf } from "../_shared/statistics.ts"
import { document, labels, prompts } from "./document.ts"

const options = readOptions("usage: node bench/decisions/run.ts [--quick] [--rounds N] [--seconds N]", {
  rounds: 7,
  seconds: 3,
})
const origin = readOrigin()

/** As long as those of the embedded model; what they say does not matter. */
const vector = Float32Array.from({ length: 384 }, (_, index) => Math.sin(index) / 14)
const probabilities = Float32Array.from(labels, (_, index) => (index === 3 ? 0.87 : 0.01))
const answers = {
  embed: { kind: "embed", vector },
  classify: { kind: "classify", classification: { labels, probabilities } },
  spans: { kind: "spans", spans: [] },
} as const satisfies Partial<Record<string, InferenceAnswer>>
const inference: Inference = {
  bundle: async (tasks) => tasks.map(({ kind }) => answers[kind as keyof typeof answers]),
  status: () => [],
  close: async () => {},
}
const kernel = await createKernel({ config: document, inference })
const { plan } = kernel
const guardTexts = await loadGuardTexts()
const host = { plan, inference, createQuestionBatch, guardTexts }
const calls = prompts.map((text) => ({
  request: chatRequest([textTurn("user", text)]),
  principal: { role: "client", permissions: undefined, name: "bench" },
  header: () => undefined,
}))
const client = { aborted: false, onAbort: () => () => {} } as never

async function readOnce(index: number): Promise<Facts> {
  const call = calls[index % calls.length] as (typeof calls)[number]
  const input = toSignalInput(call as never, host)
  const { facts } = await readSignals(host, { client, signal: AbortSignal.any([]) } as never, input)
  decide(plan, facts)
  return facts
}

const projection = plan.signals.find(({ type }) => type === "projection")
if (projection === undefined) throw new Error("the plan has no projections")
const read = projection.read
const facts = await readOnce(0)
if (facts.some((fact) => fact?.state === "unknown")) throw new Error("a signal could not be read")
if (decide(plan, facts).decision === undefined) throw new Error("no decision matches")
const known = new Map(
  plan.signals.map(({ type, firstSlot, rules }) => [type, facts.slice(firstSlot, firstSlot + rules.length) as Fact[]]),
)
const input = { factsOf: (type: string) => known.get(type) ?? [] } as unknown as SignalInput
function decideOnce(): void {
  const outputs = read(input, {} as never) as readonly Fact[]
  decide(plan, facts.toSpliced(projection?.firstSlot ?? 0, outputs.length, ...outputs))
}

/**
 * Milliseconds of processor time of single runs, for as long as a round takes. Nothing here waits for anything, so that on an
 * idle machine the clock says the same, and on a busy one only this holds.
 */
async function timesOf(work: (index: number) => unknown): Promise<readonly number[]> {
  const times: number[] = []
  const end = performance.now() + options.seconds * 1000
  for (let index = 0; performance.now() < end; index++) {
    const start = process.cpuUsage()
    await work(index)
    const { user, system } = process.cpuUsage(start)
    times.push((user + system) / 1000)
  }
  return times
}

const rules = plan.signals.reduce((count, { type, rules: own }) => count + (type === "projection" ? 0 : own.length), 0)
say(`${rules} rules, ${projection.rules.length} outputs, ${plan.decisions.length} decisions`)
await timesOf(readOnce)
await timesOf(decideOnce)
const rounds: { readonly request: readonly number[]; readonly engine: readonly number[] }[] = []
for (let round = 0; round < options.rounds; round++)
  rounds.push({ request: await timesOf(readOnce), engine: await timesOf(decideOnce) })

const figures = Object.fromEntries(
  (["request", "engine"] as const).map((part) => [
    part,
    {
      p50Ms: spreadOf(rounds.map((round) => median(round[part]))),
      p95Ms: spreadOf(rounds.map((round) => quantile(round[part], 0.95))),
    },
  ]),
)
for (const [part, { p50Ms, p95Ms }] of Object.entries(figures))
  say(`${part}: p50 ${short(p50Ms.median)} ms, p95 ${short(p95Ms.median)} ms (${p95Ms.lowest} to ${p95Ms.highest})`)
await kernel.close()
say(
  `Wrote ${writeResult({ bench: "decisions", ...origin, rounds: options.rounds, seconds: options.seconds, figures }, options)}`,
)
