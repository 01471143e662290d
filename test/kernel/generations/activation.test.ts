import { expect, test } from "vitest"
import { RtrError } from "../../../ts/kernel/error.ts"
import { type ActivationOutcome, createActivation } from "../../../ts/kernel/generations/activation.ts"
import { ConfigError } from "../../../ts/kernel/config/config-error.ts"

interface Content {
  readonly text: string
}

/** An activation whose documents say what becomes of them: `fail …`, `slow …`, or anything else, which works. */
function start() {
  const events: string[] = []
  const outcomes: ActivationOutcome[] = []
  const gates = new Map<string, () => void>()
  const activation = createActivation<Content>({
    hash: async (text) => `hash of ${text}`,
    onOutcome: (outcome) => outcomes.push(outcome),
    async prepare({ text, source }, _hash, { current, version, enter, signal }) {
      events.push(`prepare ${text} as ${version} after ${current?.content.text ?? "nothing"}`)
      enter("validate")
      if (text.startsWith("fail"))
        throw new ConfigError(source, [
          { path: ["routing", "decisions", 0], message: "is wrong", code: "invalid", position: { line: 3, column: 1 } },
          { path: [], message: "is wrong, too", code: "invalid" },
        ])
      enter("warm")
      if (text.startsWith("slow"))
        await new Promise<void>((resolve, reject) => {
          gates.set(text, resolve)
          signal.addEventListener("abort", () => reject(new RtrError("unavailable", "given up")))
        })
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

test("a newer document replaces those that wait and the one that warms", async () => {
  const { activation, submit, outcomes } = start()
  await submit("first")
  const [slow, waiting, last] = [submit("slow"), submit("waiting"), submit("last")]
  await expect(slow).resolves.toMatchObject({ result: "superseded", hash: "hash of slow" })
  await expect(waiting).resolves.toMatchObject({ result: "superseded", hash: "hash of waiting" })
  await expect(last).resolves.toMatchObject({ result: "active", version: 2 })
  expect(activation.current()?.content.text).toBe("last")
  expect(outcomes.map(({ result }) => result).toSorted()).toEqual(["active", "active", "superseded", "superseded"])
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
  const slow = submit("slow")
  await settled()
  await activation.close()
  await expect(slow).resolves.toMatchObject({ result: "superseded" })
  expect(events).toContain("close one")
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
