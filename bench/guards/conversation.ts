// The tenth turn of an agent's conversation through the router, beside a request that has its new text alone.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { local } from "../_shared/load/address.ts"
import { freePorts } from "../_shared/free-ports.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { interleave } from "../_shared/rounds.ts"
import { node, startServer } from "../_shared/server-process.ts"
import { ratio, type Spread, spreadOf, spreadOfPairs } from "../_shared/statistics.ts"
import { ask } from "../inference/worker.ts"
import type { Prose } from "./prose.ts"

export interface ConversationFigures {
  readonly turns: number
  readonly words: number
  readonly tenthTurnMs: Spread
  readonly newTextMs: Spread
  readonly tenthTurnCpuMs: Spread
  readonly newTextCpuMs: Spread
  readonly ratio: Spread
  readonly cpuRatio: Spread
}

interface Sample {
  readonly ms: number
  readonly cpuMs: number
}

const turns = 10
/** Ten of them are about 20,000 tokens of ordinary prose. */
const wordsOfResult = 1550
const wordsOfQuestion = 60

export async function measureConversation(options: BenchOptions, prose: Prose): Promise<ConversationFigures> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-bench-"))
  const [routerPort = 0, backendPort = 0, managementPort = 0, metricsPort = 0] = await freePorts(4)
  const config = join(folder, "router.json")
  writeFileSync(config, JSON.stringify(document(routerPort, backendPort, managementPort)))
  const backend = await startServer({
    name: "the mock backend",
    command: node,
    args: [join(import.meta.dirname, "../overhead/backend.ts"), String(backendPort)],
    address: local(backendPort),
  })
  const router = await startServer({
    name: "rtr",
    command: node,
    args: [options.rtr, "serve", "--config", config, "--metrics-port", String(metricsPort)],
    env: { RTRUN_DIR: folder, RTRUN_CPU_THREADS: String(options.threads) },
    address: local(routerPort),
  })
  const send = async (messages: readonly Message[]): Promise<Sample> => {
    const cpuBefore = router.cpuMs()
    const startedAt = performance.now()
    const { status, body } = await ask(local(routerPort), "POST", "/v1/chat/completions", { model: "MoM", messages })
    const ms = performance.now() - startedAt
    const { model } = body as { readonly model?: string }
    // What was not read fails the request.
    if (status !== 200 || model === undefined)
      throw new Error(`status ${status}: ${JSON.stringify(body).slice(0, 500)}`)
    return { ms, cpuMs: router.cpuMs() - cpuBefore }
  }
  const tenth = async (): Promise<Sample> => {
    const conversation = Array.from({ length: turns }, (_, index) => turn(prose, index))
    await send(conversation.slice(0, -1).flat())
    return send(conversation.flat())
  }
  const newText = (): Promise<Sample> => send(turn(prose, 0))
  try {
    for (let warm = 0; warm < 3; warm++) await newText()
    const samples = await interleave<Sample>(
      "conversation",
      Math.max(options.rounds, options.quick ? 1 : 5),
      [
        { name: "tenth turn", measure: tenth },
        { name: "new text", measure: newText },
      ],
      ({ ms, cpuMs }) => `${ms.toFixed(1)} ms (${cpuMs.toFixed(0)} ms of processor)`,
    )
    const of = (name: string, figure: keyof Sample): readonly number[] =>
      (samples.get(name) ?? []).map((sample) => sample[figure])
    return {
      turns,
      words: turns * (wordsOfQuestion + wordsOfResult),
      tenthTurnMs: spreadOf(of("tenth turn", "ms")),
      newTextMs: spreadOf(of("new text", "ms")),
      tenthTurnCpuMs: spreadOf(of("tenth turn", "cpuMs")),
      newTextCpuMs: spreadOf(of("new text", "cpuMs")),
      ratio: spreadOfPairs(of("tenth turn", "ms"), of("new text", "ms"), ratio),
      cpuRatio: spreadOfPairs(of("tenth turn", "cpuMs"), of("new text", "cpuMs"), ratio),
    }
  } finally {
    await Promise.all([router.stop(), backend.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

type Message = Readonly<Record<string, unknown>>

/** A question, a call of a tool, and what the tool found. */
function turn(prose: Prose, index: number): readonly Message[] {
  const id = `call_${index}`
  const call = { id, type: "function", function: { name: "read_file", arguments: JSON.stringify({ part: index }) } }
  return [
    { role: "user", content: prose.ofWords(wordsOfQuestion) },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: prose.ofWords(wordsOfResult) },
  ]
}

/** Both guards read everything; whatever they find, a backend answers, so that every reply takes the same way. */
const document = (port: number, backendPort: number, managementPort: number): object => ({
  version: "v0.3",
  listeners: [{ name: "bench", address: "127.0.0.1", port }],
  providers: {
    defaults: { model: "small" },
    models: ["small", "careful"].map((name) => ({
      name,
      backend_refs: [{ base_url: `http://127.0.0.1:${backendPort}/v1` }],
    })),
  },
  global: { services: { management_api: { port: managementPort } } },
  routing: {
    signals: {
      jailbreak: [{ name: "attack", on_unscanned: "allow" }],
      pii: [{ name: "personal", on_unscanned: "allow" }],
    },
    decisions: ["jailbreak", "pii"].map((type) => ({
      name: type,
      rules: { type, name: type === "pii" ? "personal" : "attack", on_unknown: "fail_request" },
      modelRefs: [{ model: "careful" }],
    })),
  },
})
