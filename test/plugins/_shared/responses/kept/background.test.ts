import { type Call, type Outcome, type Reply, RtrError } from "rtr"
import { expect, test, vi } from "vitest"
import { createBackground } from "../../../../../ts/plugins/_shared/responses/kept/background.ts"
import { createJobs } from "../../../../../ts/plugins/_shared/responses/kept/jobs.ts"
import { createResponseStore } from "../../../../../ts/plugins/_shared/responses/kept/response-store.ts"
import memory from "../../../../../ts/plugins/stores/memory.ts"
import { createCall } from "../../../../fakes/call.ts"
import { fakeRecord } from "../../../../fakes/listener.ts"

const queued = {
  id: "resp_1",
  object: "response",
  created_at: 7,
  status: "queued",
  background: true,
  metadata: { a: "b" },
  previous_response_id: null,
  store: true,
}
const whole = (text: string): Reply => ({
  kind: "whole",
  status: 200,
  reply: { id: "theirs", model: "m", created: 1, choices: [{ blocks: [{ type: "text", text }], stop: "stop" }] },
})

/** What keeps responses in the background; its clock stands still. */
async function setUp({ maxBytes = 10_000 } = {}) {
  const { kv } = await memory.setup({}, { clock: () => 0 })
  const [values, running] = [kv?.("responses"), kv?.("running")]
  if (values === undefined || running === undefined) throw new Error("the store has no values")
  const store = createResponseStore(values, { ttlMs: 1000, maxBytes })
  const jobs = createJobs()
  const told: unknown[] = []
  const host = {
    store,
    running,
    onLost: (reason: string) => void told.push(reason),
    onBug: (error: unknown) => void told.push(error),
  }
  const background = createBackground({ ...host, jobs })
  const released = vi.fn<() => void>()
  const found = async () => {
    const kept = await store.find("resp_1", "ann")
    if (kept === undefined) throw new Error("it is gone")
    return kept
  }
  return {
    store,
    jobs,
    told,
    released,
    background,
    /** The same store as another process sees it. */
    elsewhere: createBackground({ ...host, jobs: createJobs() }),
    found,
    current: async () => background.current(await found()),
    start: (run: (call: Call) => Promise<Reply>) =>
      background.start({
        kept: { owner: "ann", response: queued, input: [] },
        call: createCall(),
        run: async (call): Promise<Outcome> => ({ record: fakeRecord(), reply: await run(call) }),
        retain: () => released,
      }),
    ended: () => vi.waitFor(() => expect(jobs.has("resp_1")).toBe(false)),
  }
}

test("a response is in progress, for every process, until it is complete", async () => {
  const { start, current, elsewhere, found, released, ended } = await setUp()
  const reply = Promise.withResolvers<Reply>()
  await start(() => reply.promise)
  expect(await current()).toEqual({ ...queued, status: "in_progress" })
  expect(await elsewhere.current(await found())).toEqual({ ...queued, status: "in_progress" })
  expect(released).not.toHaveBeenCalled()
  reply.resolve(whole("hi"))
  await ended()
  expect(await current()).toMatchObject({
    ...queued,
    status: "completed",
    output: [{ type: "message", content: [{ text: "hi" }] }],
  })
  expect(released).toHaveBeenCalledOnce()
})

test("one that is cancelled is stopped, and stays cancelled whatever comes", async () => {
  const { start, background, current, found, ended } = await setUp()
  let stopped: AbortSignal | undefined
  await start(
    (call) =>
      new Promise((resolve) => {
        stopped = call.signal
        expect(call.client).toBe(call.signal)
        call.signal.addEventListener("abort", () => resolve(whole("too late")))
      }),
  )
  expect(await background.cancel(await found())).toEqual({ ...queued, status: "cancelled" })
  expect(stopped?.aborted).toBe(true)
  await ended()
  expect(await current()).toEqual({ ...queued, status: "cancelled" })
  expect(await background.cancel(await found())).toEqual({ ...queued, status: "cancelled" })
})

test("failures are told, and bugs without their message", async () => {
  for (const { run, error, bugs = 0 } of [
    {
      run: async (): Promise<Reply> => ({ kind: "failure", status: 500, message: "broken" }),
      error: { code: "server_error", message: "broken" },
    },
    {
      run: async (): Promise<Reply> => Promise.reject(new RtrError("upstream_timeout", "too slow")),
      error: { code: "upstream_timeout", message: "too slow" },
    },
    {
      run: async (): Promise<Reply> => Promise.reject(new TypeError("with a prompt")),
      error: { code: "internal_error", message: "Something went wrong inside the router" },
      bugs: 1,
    },
  ]) {
    const { start, current, ended, told } = await setUp()
    await start(run)
    await ended()
    expect([await current(), told.length]).toEqual([{ ...queued, status: "failed", error }, bugs])
  }
})

test("a result that is too large to keep is a failure", async () => {
  const { start, current, ended, told } = await setUp({ maxBytes: 2000 })
  await start(async () => whole("x".repeat(3000)))
  await ended()
  expect(told).toEqual(["request_too_large"])
  expect(await current()).toMatchObject({ status: "failed", error: { code: "request_too_large" } })
})

test("one whose process has ended has failed", async () => {
  const { store, current } = await setUp()
  await store.add({ owner: "ann", response: queued, input: [] })
  expect(await current()).toMatchObject({ status: "failed", error: { code: "server_error" } })
  expect((await store.find("resp_1", "ann"))?.response["status"]).toBe("failed")
})

test("what cannot be kept at the beginning is not begun, and holds nothing", async () => {
  const { start, released, jobs } = await setUp({ maxBytes: 10 })
  const run = vi.fn<() => Promise<Reply>>(async () => whole("hi"))
  await expect(start(run)).rejects.toMatchObject({ code: "request_too_large" })
  await vi.waitFor(() => expect(released).toHaveBeenCalledOnce())
  expect(run).not.toHaveBeenCalled()
  expect(jobs.has("resp_1")).toBe(false)
})
