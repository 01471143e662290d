import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, test } from "vitest"
import {
  providersOn,
  replyOf,
  startRouter,
  startTestBackend,
  type TestRouter,
  userMessage,
  waitFor,
} from "./_processes.ts"

/** One decision for each way that a rule can depend on a model. */
const routing = {
  signals: {
    keywords: ["alpha", "beta", "gamma", "delta"].map((name) => ({ name, operator: "OR", keywords: [name] })),
    domains: [{ name: "math" }, { name: "law" }],
    embeddings: [
      { name: "weather", threshold: 0.6, candidates: ["What is the weather like?", "Will it rain tomorrow?"] },
    ],
  },
  decisions: [
    { name: "alone", priority: 100, rules: { type: "keyword", name: "alpha" }, modelRefs: [{ model: "a" }] },
    {
      name: "match",
      priority: 90,
      rules: { ...both("beta", "domain", "math"), on_unknown: "match" },
      modelRefs: [{ model: "b" }],
    },
    {
      name: "fail",
      priority: 80,
      rules: { ...both("gamma", "domain", "law"), on_unknown: "fail_request" },
      modelRefs: [{ model: "c" }],
    },
    { name: "ignore", priority: 70, rules: both("delta", "embedding", "weather"), modelRefs: [{ model: "d" }] },
  ],
}

function both(keyword: string, type: string, name: string): { operator: string; conditions: object[] } {
  return {
    operator: "AND",
    conditions: [
      { type: "keyword", name: keyword },
      { type, name },
    ],
  }
}

/** Pid of the worker that a router started. */
function workerOf(router: TestRouter): number {
  const [pid] = readFileSync(`/proc/${router.child.pid}/task/${router.child.pid}/children`, "utf8").trim().split(" ")
  return Number(pid)
}

async function isReady(router: TestRouter): Promise<boolean> {
  const { model_deployments: deployments } = (await (await fetch(`${router.management}/startup-status`)).json()) as {
    model_deployments: { ready: boolean }[]
  }
  return deployments.every(({ ready }) => ready)
}

test(
  "a killed worker loses no request, answers none twice, leaves policies in charge, and comes back within three seconds",
  { retry: 2 },
  async () => {
    const seen = new Map<string, number>()
    const backend = await startTestBackend((body, response) => {
      const id = /#\d+/.exec(JSON.stringify(body["messages"]))?.[0] ?? ""
      seen.set(id, (seen.get(id) ?? 0) + 1)
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify(replyOf(String(body["model"]), id)))
    })
    const begunAt = performance.now()
    const router = await startRouter({ providers: providersOn(backend.endpoint, "small", "a", "b", "c", "d"), routing })
    const firstStartMs = performance.now() - begunAt

    let count = 0
    const answers: {
      keyword: string
      id: string
      askedAt: number
      status: number
      model: string
      content: string
    }[] = []
    const ask = async (): Promise<void> => {
      const keyword = ["alpha", "beta", "gamma", "delta"][count % 4] ?? ""
      const id = `#${count++}`
      const askedAt = performance.now()
      const response = await router.ask(userMessage(`${keyword} some words that are never the same ${id}`))
      const body = (await response.json()) as {
        choices?: { message: { content: string } }[]
        error?: { message: string }
      }
      answers.push({
        keyword,
        id,
        askedAt,
        status: response.status,
        model: response.headers.get("x-selected-model") ?? "",
        content: body.choices?.[0]?.message.content ?? "",
      })
    }
    const enough = new AbortController()
    let killedAt = 0
    const clients = Array.from({ length: 200 }, async () => {
      while (!enough.signal.aborted) {
        await ask()
        // Clients and backend share the machine with the worker, whose return is measured.
        if (killedAt > 0) await sleep(200)
      }
    })

    await sleep(500)
    process.kill(workerOf(router), "SIGKILL")
    killedAt = performance.now()
    // Asked after the kill, and answered before the worker was seen to be still away.
    let away: typeof answers = []
    await sleep(200)
    await waitFor(async () => {
      const sofar = answers.filter(({ askedAt }) => askedAt > killedAt)
      if (await isReady(router)) return true
      away = sofar
      return false
    }, 10_000)
    const awayMs = performance.now() - killedAt
    enough.abort()
    await Promise.all(clients)

    // Every request has one answer, about itself, and each answered one reached the backend exactly once.
    expect(answers.length).toBe(count)
    for (const { id, status, content } of answers) {
      expect([status, content]).toEqual(status === 200 ? [200, id] : [503, ""])
      expect(seen.get(id) ?? 0).toBe(status === 200 ? 1 : 0)
    }
    expect(away.length).toBeGreaterThan(20)
    const outcome = (keyword: string): string[] => [
      ...new Set(away.filter((answer) => answer.keyword === keyword).map(({ status, model }) => `${status} ${model}`)),
    ]
    expect(outcome("alpha")).toEqual(["200 a"])
    expect(outcome("beta")).toEqual(["200 b"])
    expect(outcome("gamma")).toEqual(["503 "])
    expect(outcome("delta")).toEqual(["200 small"])
    // A slow machine has its first start as the measure.
    expect(awayMs).toBeLessThan(Math.max(3000, 1.5 * firstStartMs))
    await waitFor(() => /"event":"runtime_process_exited".*"signal":"SIGKILL"/.test(router.stderr()))

    // With the worker back, facts are known again.
    expect((await router.ask(userMessage("gamma: is this contract valid under property law?"))).status).toBe(200)
  },
)

test("a worker that does not answer in time makes facts unknown by the signal deadline", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({
    providers: providersOn(backend.endpoint, "small", "a", "b", "c", "d"),
    routing,
    global: { model_catalog: { signal_timeout_ms: 300 } },
  })
  const worker = workerOf(router)
  process.kill(worker, "SIGSTOP")
  const startedAt = performance.now()
  const response = await router.ask(userMessage("gamma: something the worker has not seen"))
  process.kill(worker, "SIGCONT")
  expect(response.status).toBe(503)
  expect(response.headers.get("retry-after")).toBe("1")
  expect(performance.now() - startedAt).toBeLessThan(3000)
  expect(await response.json()).toMatchObject({
    error: {
      code: "signal_unresolved",
      message: expect.stringMatching(/Decision "fail" depends on signals/) as unknown,
    },
  })
})

test("one request reads its text once for all its signals", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({ providers: providersOn(backend.endpoint, "small", "a", "b", "c", "d"), routing })
  const forwards = async (): Promise<number> => {
    const text = await (await fetch(`${router.metrics}/metrics`)).text()
    return Number(/rtr_model_runtime_requests_total\{deployment="default",outcome="ok"\} (\d+)/.exec(text)?.[1] ?? 0)
  }
  const before = await forwards()
  expect((await router.ask(userMessage("delta: will it rain in the afternoon?"))).headers.get("x-selected-model")).toBe(
    "d",
  )
  expect((await forwards()) - before).toBe(1)
})

test("the worker ends with its router, even when the router is killed", async () => {
  const backend = await startTestBackend()
  const router = await startRouter({ providers: providersOn(backend.endpoint, "small", "a", "b", "c", "d"), routing })
  const worker = workerOf(router)
  router.child.kill("SIGKILL")
  await waitFor(() => {
    try {
      process.kill(worker, 0)
      return readFileSync(`/proc/${worker}/stat`, "utf8").includes(") Z ")
    } catch {
      return true
    }
  })
})

test("a router that cannot load its models says which and why, and ends", async () => {
  const start = startRouter({
    routing: {},
    global: { model_catalog: { deployments: { broken: { artifact: "/no/such/folder" } } } },
  })
  await expect(start).rejects.toThrow("there is no folder /no/such/folder")
}, 60_000)
