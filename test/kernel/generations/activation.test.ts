import { expect, test } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { type ActivationOutcome, createActivation } from "../../../ts/kernel/generations/activation.ts"
import { ConfigError } from "../../../ts/kernel/config/config-error.ts"

interface Content {
  readonly text: string
}

/**
 * An activation whose documents say what becomes of them: `fail …` is refused, `read …` is read until its gate opens, `slow …` warms
 * until then, and anything else works at once. What is refused after all, a gate is told.
 */
function start(hash = async (text: string) => `hash of ${text}`) {
  const events: string[] = []
  const outcomes: ActivationOutcome[] = []
  const gates = new Map<string, (error?: Error) => void>()
  const gate = (text: string, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      gates.set(text, (error) => (error === undefined ? resolve() : reject(error)))
      signal?.addEventListener("abort", () => reject(new RtrError("unavailable", "given up")))
    })
  const activation = createActivation<Content>({
    hash,
    onOutcome: (outcome) => outcomes.push(outcome),
    async prepare({ text, source }, _hash, context) {
      const { enter, signal } = context
      enter("validate")
      if (text.startsWith("read")) await gate(text)
      if (text.startsWith("fail"))
        throw new ConfigError(source, [
          { path: ["routing", "decisions", 0], message: "is wrong", code: "invalid", position: { line: 3, column: 1 } },
          { path: [], message: "is wrong, too", code: "invalid" },
        ])
      enter("warm")
      events.push(`prepare ${text} as ${context.version} after ${context.current?.content.text ?? "nothing"}`)
      if (text.startsWith("slow")) await gate(text, signal)
      return { text }
    },
    close: async ({ text }) => void events.push(`close ${text}`),
  })
  const submit = (text: string) => activation.submit({ text, source: "config.yaml", trigger: "api" })
  return { activation, submit, events, outcomes, gates }
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 5))

test("documents become active one after the other, and what they replace is closed", async () => {
  const { activation, submit, events } = start()
  expect(activation.status()).toMatchObject({ version: 0, state: "none", activeHash: undefined })
  await expect(submit("one")).resolves.toMatchObject({ result: "active", version: 1, hash: "hash of one" })
  await expect(submit("two")).resolves.toMatchObject({ result: "active", version: 2 })
  await settled()
  expect(activation.current()?.content.text).toBe("two")
  expect(activation.status()).toMatchObject({ version: 2, state: "active", activeHash: "hash of two", attempt: 2 })
  expect(events).toEqual(["prepare one as 1 after nothing", "prepare two as 2 after one", "close one"])
})

test("a broken document leaves the last good one serving and says everything that is wrong with it", async () => {
  const { activation, submit, events } = start()
  await submit("good")
  const outcome = await submit("fail")
  expect(outcome).toMatchObject({
    result: "rejected",
    rejection: { stage: "validate", hash: "hash of fail", attempt: 2 },
  })
  expect(activation.current()?.content.text).toBe("good")
  expect(activation.status()).toMatchObject({
    version: 1,
    state: "failed",
    activeHash: "hash of good",
    observedHash: "hash of fail",
    lastRejection: {
      reasons: [
        { stage: "validate", code: "invalid", path: "routing.decisions[0]", message: "is wrong", line: 3 },
        { stage: "validate", code: "invalid", message: "is wrong, too" },
      ],
    },
  })
  expect(events).not.toContain("close good")
  await expect(submit("good")).resolves.toMatchObject({ result: "unchanged", version: 1 })
  expect(activation.status()).toMatchObject({ state: "active", lastRejection: undefined })
})

test("a newer document replaces those that warm", async () => {
  const { activation, submit, outcomes } = start()
  await submit("first")
  const [slow, other, last] = [submit("slow"), submit("slow too"), submit("last")]
  await expect(slow).resolves.toMatchObject({ result: "superseded", hash: "hash of slow" })
  await expect(other).resolves.toMatchObject({ result: "superseded", hash: "hash of slow too" })
  await expect(last).resolves.toMatchObject({ result: "active", version: 2 })
  expect(activation.current()?.content.text).toBe("last")
  expect(outcomes.map(({ result }) => result).toSorted()).toEqual(["active", "active", "superseded", "superseded"])
})

test("a broken document leaves alone what warms, which serves then, and the status has both", async () => {
  const { activation, submit, outcomes, gates } = start()
  await submit("first")
  const slow = submit("slow")
  await settled()
  await expect(submit("fail")).resolves.toMatchObject({ result: "rejected", rejection: { attempt: 3 } })
  const refused = { observedHash: "hash of fail", attempt: 3, lastRejection: { hash: "hash of fail", attempt: 3 } }
  expect(activation.status()).toMatchObject({ ...refused, version: 1, state: "pending", stage: "warm" })
  gates.get("slow")?.()
  await expect(slow).resolves.toMatchObject({ result: "active", version: 2 })
  expect(activation.status()).toMatchObject({
    ...refused,
    version: 2,
    activeHash: "hash of slow",
    state: "failed",
    stage: undefined,
  })
  expect(outcomes.map(({ result }) => result)).toEqual(["active", "rejected", "active"])
  await submit("mended")
  expect(activation.status()).toMatchObject({ state: "active", lastRejection: undefined })
})

test("a document replaces what warms when it has been read, and not before", async () => {
  const { activation, submit, gates, events } = start()
  await submit("first")
  const [slow, read] = [submit("slow"), submit("read")]
  await settled()
  expect(activation.status()).toMatchObject({ state: "pending", stage: "validate", observedHash: "hash of read" })
  expect(events).not.toContain("close slow")
  gates.get("read")?.()
  await expect(slow).resolves.toMatchObject({ result: "superseded" })
  await expect(read).resolves.toMatchObject({ result: "active", version: 2 })
  // One that is active before that is replaced as any other.
  const [other, late] = [submit("slow too"), submit("read late")]
  await settled()
  gates.get("slow too")?.()
  await expect(other).resolves.toMatchObject({ result: "active", version: 3 })
  gates.get("read late")?.()
  await expect(late).resolves.toMatchObject({ result: "active", version: 4 })
  expect(events).toContain("prepare read late as 4 after slow too")
})

test("an older document that is still read when a newer one is taken starts nothing, and refused it tells nothing", async () => {
  const { activation, submit, gates, events, outcomes } = start()
  const reads = [submit("read one"), submit("read two")]
  await settled()
  await expect(submit("new")).resolves.toMatchObject({ result: "active", version: 1 })
  for (const read of reads) await expect(read).resolves.toMatchObject({ result: "superseded" })
  gates.get("read one")?.()
  gates.get("read two")?.(new RtrError("invalid_config", "is wrong"))
  await settled()
  expect(events).toEqual(["prepare new as 1 after nothing"])
  expect(outcomes).toHaveLength(3)
  expect(activation.status()).toMatchObject({ state: "active", lastRejection: undefined })
})

test("an older document that is refused after a newer one does not hide why that was refused", async () => {
  const { activation, submit, gates } = start()
  const read = submit("read")
  await settled()
  await submit("fail")
  gates.get("read")?.(new RtrError("invalid_config", "is wrong"))
  await expect(read).resolves.toMatchObject({ result: "rejected", rejection: { attempt: 1 } })
  expect(activation.status()).toMatchObject({ state: "failed", lastRejection: { attempt: 2, hash: "hash of fail" } })
})

test("the same document again joins the one that is prepared, and is then the newest", async () => {
  const { activation, submit, gates, events, outcomes } = start()
  await submit("first")
  const slow = submit("slow")
  await settled()
  await submit("fail")
  const read = submit("read")
  const again = submit("slow")
  await expect(read).resolves.toMatchObject({ result: "superseded" })
  expect(activation.status()).toMatchObject({ state: "pending", stage: "warm", observedHash: "hash of slow" })
  gates.get("slow")?.()
  for (const each of [slow, again]) await expect(each).resolves.toMatchObject({ result: "active", version: 2 })
  expect(events).toContain("prepare slow as 2 after first")
  expect(outcomes.map(({ result }) => result)).toEqual(["active", "rejected", "superseded", "active"])
  expect(activation.status()).toMatchObject({ state: "active", lastRejection: undefined })
})

test("the same document again, while it is read, stays the newest and replaces nothing before it has been read", async () => {
  const { submit, gates } = start()
  const [read, other, again] = [submit("read"), submit("read other"), submit("read")]
  await settled()
  gates.get("read other")?.()
  await expect(other).resolves.toMatchObject({ result: "active", version: 1 })
  gates.get("read")?.()
  for (const each of [read, again]) await expect(each).resolves.toMatchObject({ result: "active", version: 2 })
})

test("the document that serves replaces what warms when it comes again", async () => {
  const { activation, submit } = start()
  await submit("one")
  const slow = submit("slow")
  await settled()
  await expect(submit("one")).resolves.toMatchObject({ result: "unchanged", version: 1 })
  await expect(slow).resolves.toMatchObject({ result: "superseded" })
  expect(activation.status()).toMatchObject({ state: "active", activeHash: "hash of one", observedHash: "hash of one" })
})

test("documents keep the order in which they came, however long their hashes take", async () => {
  const { activation, submit } = start(async (text) => {
    if (text === "long") await settled()
    return text
  })
  await Promise.all([submit("long"), submit("short")])
  expect(activation.status()).toMatchObject({ activeHash: "short", observedHash: "short", attempt: 2 })
})

test("a generation is closed only when its last lease has ended", async () => {
  const { activation, submit, events } = start()
  await submit("one")
  const release = activation.current()?.lease() ?? (() => {})
  await submit("two")
  await settled()
  expect(events).not.toContain("close one")
  release()
  await settled()
  expect(events).toContain("close one")
})

test("closing stops what warms, waits for leases and takes no more documents", async () => {
  const { activation, submit, events } = start()
  await submit("one")
  const running = [submit("slow"), submit("read")]
  await settled()
  running.push(submit("two"))
  await activation.close()
  for (const each of running) await expect(each).resolves.toMatchObject({ result: "superseded" })
  expect(events).toEqual(["prepare one as 1 after nothing", "prepare slow as 2 after one", "close one"])
  await expect(submit("three")).rejects.toMatchObject({ code: "unavailable" })
})

test("a preparation that never ends is left behind by the next document, and by closing", async () => {
  const closed: string[] = []
  const release = new Map<string, () => void>()
  const activation = createActivation<Content>({
    hash: async (text) => text,
    prepare: async ({ text }) => {
      if (text.startsWith("hangs")) await new Promise<void>((resolve) => release.set(text, resolve))
      return { text }
    },
    close: async ({ text }) => void closed.push(text),
  })
  const submit = (text: string) => activation.submit({ text, source: "c", trigger: "api" })
  await submit("one")
  const hanging = submit("hangs")
  await settled()
  await expect(submit("two")).resolves.toMatchObject({ result: "active", version: 2 })
  await expect(hanging).resolves.toMatchObject({ result: "superseded" })
  release.get("hangs")?.()
  await settled()
  expect(closed).toEqual(["one", "hangs"])
  void submit("hangs again")
  await settled()
  await activation.close()
  expect(closed).toEqual(["one", "hangs", "two"])
})

test("a listener that throws stops nothing", async () => {
  const told: unknown[] = []
  const activation = createActivation<Content>({
    hash: async (text) => text,
    prepare: async ({ text }) => ({ text }),
    close: async () => {},
    onOutcome: () => {
      throw new Error("listener")
    },
    onListenerError: (error) => told.push(error),
  })
  for (const [index, text] of ["one", "two"].entries())
    await expect(activation.submit({ text, source: "c", trigger: "api" })).resolves.toMatchObject({
      version: index + 1,
    })
  expect(told).toHaveLength(2)
})
