import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createPrometheusMetrics, type PrometheusMetrics } from "rtr/node"
import { expect, test } from "vitest"
import { fakePackage, startTestPool, whoAnswers } from "../fakes/worker-pool.ts"

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it did not come true within 10 seconds")
    await sleep(10)
  }
}

const exposition = async ({ metricsText }: PrometheusMetrics): Promise<string> => (await metricsText())?.text ?? ""

const head = { binding: "prompt_guard", deployment: "guard", head: "jailbreak", answers: "classes" } as const
const jailbreak = { name: "jailbreak", kind: "sequence", labels: ["benign", "jailbreak"] } as const

test("an equal deployment of another lease shares the process, and each lease has its own way of reading", async () => {
  const { pool } = startTestPool()
  const [one, two] = [fakePackage(), fakePackage()]
  const group = (input: object) => [
    { name: "a", artifact: one.folder, process: "p", input },
    { name: "b", artifact: two.folder, process: "p", input },
  ]
  const first = pool.open(group({ overflow: "reject" }))
  await first.ready()
  // The order of the document is no setting, and neither is what stands for a default.
  const second = pool.open(
    group({ max_tokens: 7 })
      .toReversed()
      .map((deployment) => ({ ...deployment, device: "auto" as const, profile: "exact" as const })),
  )
  await second.ready()
  const [pid] = one.started()
  expect(await whoAnswers(first.inference, "a")).toEqual({ pid, options: { overflow: "reject" } })
  expect(await whoAnswers(second.inference, "a")).toEqual({ pid, options: { overflow: "truncate", max_tokens: 7 } })
  await first.release()
  expect(await whoAnswers(second.inference, "b")).toMatchObject({ pid })
  await second.release()
  expect([one.started(), two.started(), one.running()]).toEqual([[pid], [pid], []])
})

test("a changed deployment gets a process beside the old one, which ends with its last lease", async () => {
  const metrics = createPrometheusMetrics()
  const { pool } = startTestPool(metrics.metrics)
  const [old, changed, kept] = [fakePackage(), fakePackage(), fakePackage()]
  const before = pool.open([
    { name: "m", artifact: old.folder },
    { name: "kept", artifact: kept.folder },
    { name: "gone", artifact: kept.folder },
  ])
  await before.ready()
  const after = pool.open([
    { name: "m", artifact: changed.folder },
    { name: "kept", artifact: kept.folder },
  ])
  await after.ready()
  const [oldPid, newPid] = [old.started()[0], changed.started()[0]]
  expect(await whoAnswers(before.inference, "m")).toMatchObject({ pid: oldPid })
  expect(await whoAnswers(after.inference, "m")).toMatchObject({ pid: newPid })
  expect(before.inference.status().map(({ name, artifact }) => [name, artifact])).toEqual([
    ["m", old.folder],
    ["kept", kept.folder],
    ["gone", kept.folder],
  ])
  expect(after.inference.status()).toMatchObject([
    { name: "m", artifact: changed.folder, process: "m", state: "ready", ready: true, restarts: 0 },
    { name: "kept", artifact: kept.folder },
  ])
  await before.release()
  await before.release()
  expect([old.running(), changed.running(), kept.started().length]).toEqual([[], [newPid], 2])
  expect(kept.running()).toHaveLength(1)
  expect(await whoAnswers(after.inference, "m")).toMatchObject({ pid: newPid })
  const text = await exposition(metrics)
  for (const [name, value] of [
    ["m", 1],
    ["kept", 1],
    ["gone", 0],
  ])
    expect(text).toContain(`rtr_model_runtime_ready{deployment="${name}"} ${value}`)
})

test("the newest lease of a name is reported, and the one before it when that is released", async () => {
  const metrics = createPrometheusMetrics()
  const { pool } = startTestPool(metrics.metrics)
  const [good, slow] = [fakePackage(), fakePackage({ status: "loading" })]
  const gauge = async (): Promise<string | undefined> =>
    /rtr_model_runtime_ready\{deployment="m"\} (\d)/.exec(await exposition(metrics))?.[1]
  await pool.open([{ name: "m", artifact: good.folder }]).ready()
  expect(await gauge()).toBe("1")
  const next = pool.open([{ name: "m", artifact: slow.folder }])
  expect(await gauge()).toBe("0")
  await next.release()
  expect(await gauge()).toBe("1")
})

test("a lease that fails takes nothing from the others with it", async () => {
  const { pool, events } = startTestPool(undefined, { RTRUN_READY_TIMEOUT: "1" })
  const shared = fakePackage({ heads: [jailbreak] })
  const serving = pool.open([{ name: "guard", artifact: shared.folder }])
  await serving.ready()
  const guard = { name: "guard", artifact: shared.folder }
  const broken = fakePackage({ status: "failed", reason: "config.json is missing" })
  const [slow, ending] = [fakePackage({ status: "loading" }), fakePackage({ ends: true })]
  const cases = [
    [{ name: "other", artifact: broken.folder }, /Cannot load model deployment "other" .*: config\.json is missing/],
    [{ name: "other", artifact: slow.folder }, /not ready after 1 s: other is loading/],
    [{ name: "other", artifact: ending.folder }, /its process ended 3 times before it answered/],
    [
      { ...guard, name: "other", heads: [{ ...head, head: "jailbrake" }] },
      /prompt_guard\.head: "jailbrake" is not a head .* \(did you mean "jailbreak"\?\)/,
    ],
  ] as const
  for (const [other, message] of cases) {
    // Three restarts take longer than the second that the others have.
    const patient = other.artifact === ending.folder ? startTestPool().pool : pool
    const lease = patient.open([guard, other])
    await expect(lease.ready()).rejects.toThrow(message)
    await lease.release()
  }
  expect([broken.running(), slow.running(), ending.running()]).toEqual([[], [], []])
  expect(shared.running()).toContain((await whoAnswers(serving.inference, "guard")).pid)
  await until(() => shared.running().length === 1)
  expect(events).toEqual([])
})

test("a head that is not there fails the lease that asks it, and no other of the same worker", async () => {
  const { pool } = startTestPool()
  const [guard, slow] = [fakePackage({ heads: [jailbreak] }), fakePackage({ status: "loading" })]
  const group = [
    { name: "guard", artifact: guard.folder, process: "p", heads: [head] },
    { name: "slow", artifact: slow.folder, process: "p" },
  ]
  const right = pool.open(group)
  // Heads are read when a model becomes ready, not at each poll.
  await until(() => guard.asked("/health") >= 5)
  expect(guard.asked("/v1/models")).toBe(1)
  slow.behave({})
  await right.ready()
  const wrong = pool.open(group.map((each) => ({ ...each, heads: [{ ...head, head: "toxicity" }] })))
  await expect(wrong.ready()).rejects.toThrow(/"toxicity" is not a head of deployment "guard"/)
  const expects = [{ rule: "attack", labels: ["attack"] }]
  const unlabelled = pool.open(group.map((each) => ({ ...each, heads: [{ ...head, expects }] })))
  await expect(unlabelled.ready()).rejects.toThrow(
    'must be a head with the label "attack", which rule "attack" asks for; that of deployment "guard" has "benign", "jailbreak"',
  )
  expect([right, wrong].map(({ inference }) => inference.status()[0]?.state)).toEqual(["ready", "failed"])
  expect([guard.started().length, guard.asked("/v1/models")]).toEqual([1, 2])
})

test("everything that a process is started with keeps leases apart", async () => {
  const { pool } = startTestPool()
  const model = fakePackage()
  const deployment = { name: "m", artifact: model.folder }
  const different = [
    deployment,
    { ...deployment, name: "n" },
    { ...deployment, device: "cpu" },
    { ...deployment, profile: "batching" as const },
    { ...deployment, process: "p" },
  ]
  const leases = [...different, ...different].map((each) => pool.open([each]))
  await Promise.all(leases.map((lease) => lease.ready()))
  expect([model.started().length, model.running().length]).toEqual([5, 5])
})

test("a wait for readiness can be given up, also by a release", async () => {
  const { pool } = startTestPool()
  const slow = fakePackage({ status: "loading" })
  const lease = pool.open([{ name: "m", artifact: slow.folder }])
  const abort = new AbortController()
  const waiting = lease.ready(abort.signal)
  abort.abort(new Error("a newer configuration came"))
  await expect(waiting).rejects.toThrow("a newer configuration came")
  const again = lease.ready()
  void lease.release()
  await expect(again).rejects.toThrow("released before they were ready")
  await lease.release()
  expect(slow.running()).toEqual([])
})

test("a shared worker that is killed starts again once, for both leases", async () => {
  const metrics = createPrometheusMetrics()
  const { pool, events } = startTestPool(metrics.metrics)
  const model = fakePackage({ heads: [jailbreak] })
  const leases = [0, 1].map(() => pool.open([{ name: "m", artifact: model.folder, heads: [head] }]))
  await Promise.all(leases.map((lease) => lease.ready()))
  process.kill(model.running()[0] ?? 0, "SIGKILL")
  await until(() => leases.every(({ inference }) => inference.status()[0]?.restarts === 1))
  await Promise.all(leases.map((lease) => lease.ready()))
  const [pid] = model.running()
  for (const { inference } of leases) expect(await whoAnswers(inference, "m")).toMatchObject({ pid })
  expect([model.started().length, model.running().length, model.asked("/v1/models")]).toEqual([2, 1, 2])
  expect(events).toMatchObject([{ event: "runtime_process_exited", process: "m", signal: "SIGKILL" }])
  expect(await exposition(metrics)).toContain('rtr_model_runtime_restarts_total{deployment="m"} 1')
})

test("twenty leases opened and released at once leave the process of the one that is open", async () => {
  const { pool, folder } = startTestPool()
  const model = fakePackage()
  const deployments = [{ name: "m", artifact: model.folder }]
  const releases: Promise<void>[] = []
  for (let round = 0; round < 20; round++) releases.push(pool.open(deployments).release())
  const last = pool.open(deployments)
  await last.ready()
  await Promise.all(releases)
  expect(await whoAnswers(last.inference, "m")).toMatchObject({ pid: model.running()[0] })
  expect(model.running()).toHaveLength(1)
  const [sockets = ""] = readdirSync(folder)
  expect(readdirSync(`${folder}/${sockets}`).toSorted()).toEqual(["21-m.models.json", "21-m.sock", "owner.json"])
})

test("closing the pool leaves no process and no file, and nothing can be opened afterwards", async () => {
  const { pool, folder } = startTestPool()
  const [one, two] = [fakePackage(), fakePackage({ status: "loading" })]
  const lease = pool.open([{ name: "one", artifact: one.folder }])
  pool.open([{ name: "two", artifact: two.folder }])
  await lease.ready()
  await Promise.all([pool.close(), pool.close(), lease.inference.close()])
  expect([one.running(), two.running(), readdirSync(folder)]).toEqual([[], [], []])
  expect(await whoAnswers(lease.inference, "one")).toEqual({ code: "upstream_unavailable" })
  expect(() => pool.open([])).toThrow("their pool is closed")
})

test("closing the pool waits for what a release has begun", async () => {
  const { pool } = startTestPool()
  const model = fakePackage()
  const lease = pool.open([{ name: "m", artifact: model.folder }])
  await lease.ready()
  void lease.release()
  await pool.close()
  expect(model.running()).toEqual([])
})

test("what cannot start is refused before anything starts", async () => {
  const { folder, pool } = startTestPool()
  const model = fakePackage()
  expect(() =>
    pool.open([
      { name: "good", artifact: model.folder },
      { name: "bad", artifact: "/no/such/folder" },
    ]),
  ).toThrow(
    /Cannot start model deployment "bad" with artifact "\/no\/such\/folder": there is no folder \/no\/such\/folder;/,
  )
  for (const [name, value] of [
    ["RTRUN_READY_TIMEOUT", "soon"],
    ["RTRUN_CPU_THREADS", "all"],
  ] as const)
    expect(() =>
      startTestPool(undefined, { [name]: value }).pool.open([{ name: "m", artifact: model.folder }]),
    ).toThrow(`${name} must be`)
  expect([model.started(), readdirSync(folder)]).toEqual([[], []])
})

test("a relative folder starts at that of the document", async () => {
  const { pool } = startTestPool()
  const { folder } = fakePackage()
  const artifact = `./${basename(folder)}`
  const lease = pool.open([{ name: "m", artifact }], join(dirname(folder), "config.yaml"))
  await lease.ready()
  expect(lease.inference.status()).toMatchObject([{ artifact: folder, ready: true }])
  const writtenAt = ["routing", "signals", "classifiers", 0, "model_path"]
  expect(() => pool.open([{ name: "m", artifact: "./nowhere", writtenAt }], "/etc/rtr/config.yaml")).toThrow(
    expect.objectContaining({
      path: writtenAt,
      message: expect.stringContaining('with artifact "./nowhere": there is no folder /etc/rtr/nowhere;'),
    }),
  )
})

test("a lease that cannot be opened holds nothing that it shared", async () => {
  const { pool, folder } = startTestPool()
  const shared = fakePackage()
  const deployments = [{ name: "m", artifact: shared.folder }]
  const lease = pool.open(deployments)
  await lease.ready()
  rmSync(folder, { recursive: true })
  expect(() => pool.open([...deployments, { name: "n", artifact: shared.folder }])).toThrow(
    /^Cannot write .*2-n\.models\.json \(ENOENT\)$/,
  )
  await lease.release()
  expect(shared.running()).toEqual([])
})

test("a command that is not there does not hold up a release", async () => {
  const { pool, events } = startTestPool(undefined, { RTRUN_COMMAND: "/no/such/command" })
  const deployments = [{ name: "m", artifact: fakePackage().folder }]
  await pool.open(deployments).release()
  const lease = pool.open(deployments)
  await until(() => events.some(({ event }) => event === "runtime_process_failed"))
  await lease.release()
})

test("a process that waits for its restart does not start after its release", async () => {
  const { pool, events, spawned } = startTestPool()
  const ending = fakePackage({ ends: true })
  const lease = pool.open([{ name: "m", artifact: ending.folder }])
  await until(() => events.some(({ restart_ms: wait }) => wait === 1000))
  await lease.release()
  await sleep(1200)
  expect(spawned()).toBe(2)
})
