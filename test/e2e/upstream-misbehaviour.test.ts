// Whatever a backend does, a client gets what was good and then one error, and no connection to the backend outlives it.

import { setTimeout as sleep } from "node:timers/promises"
import { createKernel, definePlugin, type Kernel, Type } from "rtr"
import { createNodeTransport } from "rtr/node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { defaultLimits, openListener, type OpenListener } from "../../ts/kernel/runtime/node-listener.ts"
import { checkAnswer } from "./_answers.ts"
import { endlessStreams, type Expected, type Misbehaviour, misbehaviours } from "./_misbehaviours.ts"
import { replyOf } from "./_processes.ts"
import { type RawBackend, startRawBackend } from "./_raw-backend.ts"
import { askAndLeave, askAndStay, readAnswer } from "./_raw-clients.ts"

/** Rows that run beside each other, each with a backend of its own. */
const laneCount = 12
/** How long the impatient router waits for its backends. */
const impatienceMs = 500
/**
 * A client of the strict router that takes nothing for this long is dropped. The other routers wait longer: their clients
 * run in the same thread, so that one that reads may be late too.
 */
const writeStallMs = 500
/** A connection to a backend is gone this long after its client at the latest. */
const goneMs = 2000

/**
 * `read` is a stream whose events a plugin looks at, `held` one that a plugin wants to see whole: the router reads and
 * writes these event by event.
 */
type Mode = "json" | "stream" | "read" | "held"

interface Router {
  readonly url: string
  readonly bugs: unknown[]
  close(): Promise<void>
}

const looks = definePlugin({
  about: "Looks at each event",
  options: Type.Object({}),
  hooks: ["event"],
  setup: () => ({ open: () => ({ event: (event) => event }) }),
})
const holds = definePlugin({
  about: "Sees the whole reply",
  options: Type.Object({}),
  hooks: ["after"],
  stream: "buffer",
  setup: () => ({ open: () => ({ after: (reply) => reply }) }),
})

async function openRouter(lanes: readonly RawBackend[], timeout: string, limits = defaultLimits): Promise<Router> {
  const bugs: unknown[] = []
  const decide = (mode: "read" | "held", lane: number): object => ({
    name: `${mode}-${lane}`,
    rules: { operator: "OR", conditions: [{ type: "keyword", name: `${mode}-${lane}` }] },
    modelRefs: [{ model: `lane-${lane}` }],
    plugins: [{ type: mode === "read" ? "looks" : "holds", configuration: {} }],
  })
  const kernel: Kernel = await createKernel({
    transport: createNodeTransport(),
    modules: { looks, holds },
    // Several rows with large replies run beside each other.
    memoryBytes: 2 ** 31,
    onInternalError: (error) => bugs.push(error),
    config: {
      version: "v0.3",
      listeners: [{ name: "main", address: "127.0.0.1", port: 8801, timeout }],
      providers: {
        defaults: { model: "lane-0" },
        models: lanes.map(({ endpoint }, lane) => ({ name: `lane-${lane}`, backend_refs: [{ endpoint }] })),
      },
      routing: {
        signals: {
          keywords: lanes.flatMap((_, lane) =>
            ["read", "held"].map((mode) => ({
              name: `${mode}-${lane}`,
              operator: "OR",
              keywords: [`${mode}-${lane}-end`],
            })),
          ),
        },
        decisions: lanes.flatMap((_, lane) => [decide("read", lane), decide("held", lane)]),
      },
    },
  })
  const listener: OpenListener = await openListener(kernel, "127.0.0.1", 0, { limits })
  return {
    url: listener.url,
    bugs,
    async close() {
      await listener.close(0)
      await kernel.close()
    },
  }
}

let lanes: readonly RawBackend[]
let patient: Router
let impatient: Router
let strict: Router

beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: laneCount }, startRawBackend))
  patient = await openRouter(lanes, "60s")
  impatient = await openRouter(lanes, `${impatienceMs}ms`)
  strict = await openRouter(lanes, "60s", { ...defaultLimits, writeStallMs })
})
afterAll(async () => {
  await Promise.all([patient, impatient, strict].map((router) => router.close()))
  for (const backend of lanes) backend.close()
})

const requestOf = (mode: Mode, lane: number): object => ({
  model: mode === "read" || mode === "held" ? "MoM" : `lane-${lane}`,
  stream: mode !== "json",
  messages: [{ role: "user", content: `${mode}-${lane}-end` }],
})

type Behaviour = "reads" | "reads slowly" | "never-reads" | "leaves"

/** Every row in every mode, beside each other. Returns what was wrong, in words. */
async function runAll(
  rows: readonly Misbehaviour[],
  modes: readonly Mode[],
  behaviour: Behaviour,
): Promise<readonly string[]> {
  const modesOf = new Map<string, Mode[]>()
  const waiting = rows.flatMap((row) => modes.map((mode) => ({ row, mode })))
  const workLane = async (lane: number): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { row, mode } = next
      for (const problem of await runOne(row, mode, lane, behaviour)) {
        const named = `${row.name}: ${problem.replaceAll(/lane-\d+/g, "lane")}`
        modesOf.set(named, [...(modesOf.get(named) ?? []), mode])
      }
    }
  }
  await Promise.all(lanes.map((_, lane) => workLane(lane)))
  return [...modesOf].map(([problem, found]) => `${problem} [${found.join(", ")}]`)
}

async function runOne(row: Misbehaviour, mode: Mode, lane: number, behaviour: Behaviour): Promise<readonly string[]> {
  const backend = lanes[lane] as RawBackend
  const router = row.stalls ? impatient : patient
  const problems: string[] = []
  const before = backend.onSpent()
  const begun = backend.requests()
  backend.answer(row.script, row.keepsOpen)
  if (behaviour === "reads" || behaviour === "reads slowly") {
    const answer = await readAnswer(router.url, requestOf(mode, lane), behaviour === "reads slowly").catch(
      (error: unknown) => error as Error,
    )
    if (answer instanceof Error) problems.push(`no answer: ${answer.message}`)
    else problems.push(...checkAnswer(answer, expectedOf(row, mode)))
  } else
    await askAndLeave(router.url, requestOf(mode, lane), behaviour, async () => {
      if (!(await comesTrue(() => backend.requests() > begun))) problems.push("the backend was not asked")
    })
  if (!(await comesTrue(() => backend.spent() === 0)))
    problems.push(`${backend.spent()} connections to the backend are left ${goneMs} ms behind the client`)
  problems.push(...(await askAgain(router, backend, lane)))
  if (backend.onSpent() > before) problems.push("the next request went over a spent connection")
  return problems
}

/** A plugin that held a stream may have written it anew: then only what holds for every answer is checked. */
const expectedOf = ({ json, stream, read }: Misbehaviour, mode: Mode): Expected | undefined =>
  mode === "json" ? json : mode === "stream" ? stream : mode === "read" ? (read ?? stream) : undefined

/** The next request to the same backend gets its own good reply. */
async function askAgain({ url }: Router, backend: RawBackend, lane: number): Promise<readonly string[]> {
  const nonce = crypto.randomUUID()
  const text = JSON.stringify(replyOf("m", nonce))
  backend.answer(
    (peer) =>
      peer.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
    true,
  )
  const answer = await readAnswer(url, requestOf("json", lane), false).catch((error: unknown) => error as Error)
  if (answer instanceof Error) return [`the next request has no answer: ${answer.message}`]
  return answer.body.includes(nonce) ? [] : [`the next request got ${answer.status} ${answer.body.subarray(0, 200)}`]
}

async function comesTrue(condition: () => boolean): Promise<boolean> {
  for (const until = Date.now() + goneMs; Date.now() < until; await sleep(5)) if (condition()) return true
  return condition()
}

/** Failures in words, few enough to read. */
function expectNone(problems: readonly string[]): void {
  expect(problems.slice(0, 60), `${problems.length} problems`).toEqual([])
  expect([patient, impatient, strict].flatMap(({ bugs }) => bugs)).toEqual([])
}

const limit = 120_000

test(
  `a client that reads gets what was good and one error, for ${misbehaviours.length} misbehaviours`,
  async () => {
    expect(misbehaviours.length).toBeGreaterThanOrEqual(200)
    expect(new Set(misbehaviours.map(({ name }) => name)).size).toBe(misbehaviours.length)
    expectNone(await runAll(misbehaviours, ["json", "stream", "read", "held"], "reads"))
  },
  limit,
)

test(
  "a client that reads slowly gets the same",
  async () => {
    expectNone(await runAll(misbehaviours, ["json", "stream"], "reads slowly"))
  },
  limit,
)

test(
  "a client that never reads holds no backend up when it is gone",
  async () => {
    expectNone(await runAll([...misbehaviours, ...endlessStreams], ["json", "stream"], "never-reads"))
  },
  limit,
)

test(
  "a client that leaves in the middle takes the call of its backend with it",
  async () => {
    expectNone(await runAll([...misbehaviours, ...endlessStreams], ["json", "stream", "read", "held"], "leaves"))
  },
  limit,
)

test(
  "a client that stays without reading is dropped, and the call of its backend with it",
  async () => {
    // Small events would fill the buffers of the system for a long time before anybody is held up.
    const rows = [...endlessStreams, ...misbehaviours].filter(({ name }) =>
      /large events|small events for|3 MB|hundred thousand/.test(name),
    )
    const problems: string[] = []
    for (const [index, row] of rows.entries()) {
      const lane = index % laneCount
      const backend = lanes[lane] as RawBackend
      backend.answer(row.script, row.keepsOpen)
      const begun = backend.requests()
      const leave = askAndStay(strict.url, requestOf("stream", lane))
      if (!(await comesTrue(() => backend.requests() > begun))) problems.push(`${row.name}: the backend was not asked`)
      if (!(await comesTrue(() => backend.spent() === 0))) problems.push(`${row.name}: the backend still sends`)
      leave()
    }
    expectNone(problems)
  },
  limit,
)
