import {
  type ChatEvent,
  type ChatReply,
  definePlugin,
  type PluginCall,
  type Reply,
  RtrError,
  textReply,
  Type,
} from "rtr"
import { chatRequest, pluginCall, pluginContract, textTurn } from "rtr/testing"
import { expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const good = {
  about: "adds a field",
  options: Type.Object({ value: Type.Integer() }, { additionalProperties: false }),
  hooks: ["before"],
  setup: ({ value }: { value: number }) => ({
    open: () => ({
      before: ({ request }: PluginCall) => ({ request: { ...request, extensions: { ...request.extensions, value } } }),
    }),
  }),
}
const failures = (
  changes: object,
  options: Readonly<Record<string, unknown>> = { value: 1 },
): Promise<readonly string[]> => failuresOf(pluginContract(definePlugin({ ...good, ...changes } as never), { options }))
/** A plugin with these hooks, all declared. */
const withHooks = (hooks: object): object => ({ hooks: Object.keys(hooks), setup: () => ({ open: () => hooks }) })
const before = (hook: (call: never) => unknown): object => withHooks({ before: hook })

const says = "says what it does in one line"
const accepts = "accepts its sample options and refuses unknown keys"
const opens = "opens with exactly the hooks that it declares"
const shows = "shows a stream to after, or says how else it is checked"
const leaves = "leaves the request it was given as it was"
const reads = "reads only facts of the types that it comes after"
const around = "returns a reply from around, whatever the rest gives"
const rejects = "gives a reply or rejects when the rest rejects"
const events = "turns events into events"
const stops = "lets the stop of a stream pass once"
const replies = "turns a reply into a reply"
const both = "changes the text of a reply whether it comes whole or as a stream"
const ends = "takes every end of a call"

/** Every hook, of a plugin that changes nothing. */
const hooks = {
  before: () => undefined,
  around: (call: unknown, next: (call: unknown) => unknown) => next(call),
  event: (event: unknown) => event,
  after: (reply: unknown) => reply,
  end: () => {},
}
/** Hooks of a plugin that writes in capitals. */
const loud = {
  event: (event: ChatEvent) => (event.type === "block_delta" ? { ...event, text: event.text.toUpperCase() } : event),
  after: (reply: ChatReply) => ({
    ...reply,
    choices: reply.choices.map((choice) => ({
      ...choice,
      blocks: choice.blocks.map((block) =>
        block.type === "text" ? { ...block, text: block.text.toUpperCase() } : block,
      ),
    })),
  }),
}
/** An event hook that makes something else of events of one type. */
const on = (type: ChatEvent["type"], change: (event: ChatEvent) => unknown): object => ({
  event: (event: ChatEvent) => (event.type === type ? change(event) : event),
})

test("plugins that keep the contract pass", async () => {
  const passing: readonly object[] = [
    {},
    withHooks(hooks),
    { ...withHooks({ after: hooks.after }), stream: "buffer" },
    withHooks(on("ping", () => undefined)),
    withHooks(on("ping", async (event) => [event, event])),
    withHooks(on("stop", (event) => ({ ...event, reason: "content_filter" }))),
    withHooks(on("stop", () => ({ type: "failed", message: "not allowed" }))),
    withHooks(loud),
    { ...withHooks({ after: loud.after }), stream: "buffer" },
    before(() => ({ answer: textReply({ text: "x", model: "m" }) })),
    before(() => ({ refuse: new RtrError("invalid_request", "no") })),
    before(async () => ({ headers: {} })),
    { ...before(({ factsOf }: PluginCall) => void factsOf("jailbreak")), after: () => ["jailbreak"] },
  ]
  expect(await Promise.all(passing.map((changes) => failures(changes)))).toEqual(passing.map(() => []))
})

/** What it holds back is lost where no count follows. */
const holdingStop = {
  hooks: ["event"],
  setup: () => ({
    open() {
      let held: readonly ChatEvent[] = []
      return {
        event(event: ChatEvent) {
          if (event.type === "usage") return [...held, event]
          if (event.type !== "stop") return event
          held = [event]
          return undefined
        },
      }
    },
  }),
}

const swallowing = async ({ factsOf }: PluginCall, next: () => Promise<unknown>): Promise<unknown> => {
  try {
    factsOf("jailbreak")
  } catch {
    return next()
  }
  return next()
}

const broken: readonly (readonly [string, object, readonly string[]])[] = [
  [
    "reads facts of a type that it does not name",
    before(({ factsOf }: PluginCall) => void factsOf("jailbreak")),
    [reads],
  ],
  ["reads them later", withHooks({ around: swallowing }), [reads]],
  ["is of another kind", { kind: "signal" }, [says]],
  ["does not say what it does", { about: " " }, [says]],
  ["says it in two lines", { about: "a\nb" }, [says]],
  ["takes unknown options", { options: Type.Object({ value: Type.Integer() }) }, [accepts]],
  [
    "has a schema that refuses its sample options",
    { options: Type.Object({ value: Type.String() }, { additionalProperties: false }) },
    [accepts],
  ],
  [
    "has a check that reports its sample options",
    { check: (_: unknown, report: (path: readonly string[], message: string) => void) => report(["value"], "x") },
    [accepts],
  ],
  ["has a hook that nobody calls", withHooks({ befor: () => undefined }), [opens]],
  ["has a hook that is no function", { hooks: ["end"], setup: () => ({ open: () => ({ end: true }) }) }, [opens, ends]],
  ["does not declare its hook", { ...before(() => undefined), hooks: [] }, [opens]],
  ["declares a hook that it has not", { ...before(() => undefined), hooks: ["before", "end"] }, [opens]],
  ["checks replies and lets streams pass unseen", withHooks({ after: (reply: ChatReply) => reply }), [shows]],
  [
    "changes the request in place",
    before(({ request }: { request: { model: string } }) => {
      request.model = "other"
    }),
    [leaves],
  ],
  [
    "changes the turns in place",
    before(({ request }: { request: { turns: unknown[] } }) => {
      request.turns.push({})
    }),
    [leaves],
  ],
  ["answers and changes at once", before(({ request }: PluginCall) => ({ answer: {}, request })), [leaves]],
  ["answers and refuses at once", before(() => ({ answer: {}, refuse: {} })), [leaves]],
  ["returns a word that nobody knows", before(() => ({ reqest: {} })), [leaves]],
  ["makes a request without turns", before(() => ({ request: { model: "m" } })), [leaves]],
  ["answers with a wire object", before(() => ({ answer: { object: "chat.completion" } })), [leaves]],
  ["refuses with a text", before(() => ({ refuse: "no" })), [leaves]],
  [
    "trips over turns without text",
    before(({ request }: PluginCall) => {
      for (const { blocks } of request.turns) (blocks[0] as { text: string }).text.trim()
    }),
    [leaves],
  ],
  ["returns garbage for an event", withHooks({ event: () => "text" }), [events, stops, both]],
  [
    "returns a list with garbage for an event",
    withHooks({ event: (event: unknown) => [event, {}] }),
    [events, stops, both],
  ],
  [
    "trips over an event",
    withHooks({ event: (event: { text: string }) => ({ ...event, text: event.text.trim() }) }),
    [events, stops, both],
  ],
  ["drops the stop of a stream", withHooks({ ...hooks, ...on("stop", () => undefined) }), [stops]],
  ["ends a stream twice", withHooks(on("stop", (event) => [event, event])), [stops]],
  ["waits with the stop for a count of tokens", holdingStop, [stops]],
  ["drops every event", withHooks({ event: () => undefined }), [stops, both]],
  ["changes the text of streams only", withHooks({ event: loud.event }), [both]],
  ["changes the text of whole replies only", withHooks({ ...loud, event: hooks.event }), [both]],
  ["returns nothing for a reply", { ...withHooks({ after: () => undefined }), stream: "buffer" }, [replies, both]],
  [
    "returns a reply without an id",
    { ...withHooks({ after: (reply: ChatReply) => ({ ...reply, id: undefined }) }), stream: "buffer" },
    [replies, both],
  ],
  [
    "rejects for a reply",
    { ...withHooks({ after: () => Promise.reject(new Error("broken")) }), stream: "buffer" },
    [replies, both],
  ],
  ["returns a delta without a text", withHooks({ event: ({ type }: ChatEvent) => ({ type }) }), [events, stops, both]],
  [
    "returns nothing from around",
    withHooks({ around: async (_: unknown, next: () => unknown) => void next() }),
    [around, rejects],
  ],
  [
    "does not wait for the rest",
    withHooks({ around: async (call: unknown, next: (call: unknown) => object) => ({ ...next(call), status: 200 }) }),
    [around, rejects],
  ],
  [
    "trips over a backend that is down",
    withHooks({
      around: async (call: unknown, next: (call: unknown) => Promise<{ reply: ChatReply }>) => {
        const given = await next(call)
        return { ...given, reply: { ...given.reply, choices: given.reply.choices.slice(0, 1) } }
      },
    }),
    [around],
  ],
  [
    "returns a stream of garbage",
    withHooks({
      around: async (call: unknown, next: (call: unknown) => Promise<Reply>) => {
        const given = await next(call)
        if (given.kind !== "stream") return given
        const { stream } = given
        return {
          ...given,
          stream: { ...stream, next: async () => (await stream.next()) && { events: ["text"], done: false } },
        }
      },
    }),
    [around],
  ],
  [
    "returns a stream that has lost its stop",
    withHooks({
      around: async (call: unknown, next: (call: unknown) => Promise<Reply>) => {
        const given = await next(call)
        if (given.kind !== "stream") return given
        const { stream } = given
        const withoutStop = async () => {
          const batch = await stream.next()
          return batch && { ...batch, events: batch.events.filter(({ type }) => type !== "stop") }
        }
        return { ...given, stream: { ...stream, next: withoutStop } }
      },
    }),
    [around],
  ],
  [
    "throws at the end of a call",
    withHooks({
      end: (how: string) => {
        if (how === "left") throw new Error("broken")
      },
    }),
    [ends],
  ],
  [
    "changes its options",
    {
      setup: (options: { value: number }) => {
        options.value += 1
        return { open: () => ({}) }
      },
    },
    [opens, leaves, reads, around, rejects, events, stops, replies, both, ends],
  ],
]

test("every broken plugin is caught", async () => {
  const found = await Promise.all(broken.map(async ([name, changes]) => [name, await failures(changes)]))
  expect(found).toEqual(broken.map(([name, , failed]) => [name, failed]))
})

test("a broken plugin is told what is wrong with its streams", async () => {
  const messages = [
    [
      on("stop", () => undefined),
      stops,
      "what event makes of a stream to have the stop event of its choice once, got 0: it tells clients that the reply is complete, and why it ended",
    ],
    [
      { event: loud.event },
      both,
      "after to change the text of a reply as event does, because clients get it whole or as a stream",
    ],
  ] as const
  for (const [changes, failed, message] of messages) {
    const cases = pluginContract(definePlugin({ ...good, ...withHooks(changes) } as never), { options: { value: 1 } })
    await expect(cases.find(({ name }) => name === failed)?.run()).rejects.toThrow(`Expected ${message}`)
  }
})

test("the sample options stay as they were", async () => {
  const options = { value: 1 }
  await failures({}, options)
  expect(Object.isFrozen(options)).toBe(false)
})

test("pluginCall is a frozen call", () => {
  const call = pluginCall(chatRequest([textTurn("user", "hello")], { model: "m" }))
  expect(call).toMatchObject({ id: "req-1", decision: "test", model: "small", text: "hello", request: { model: "m" } })
  expect(call.factsOf("jailbreak")).toEqual([])
  const fact = { rule: "attack", state: "match", confidence: 1 } as const
  const { factsOf } = pluginCall(undefined, { jailbreak: [fact] })
  expect([factsOf("jailbreak"), factsOf("pii")]).toEqual([[fact], []])
  expect([Object.isFrozen(call), Object.isFrozen(call.request.turns[0])]).toEqual([true, true])
})
