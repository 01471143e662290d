// What every decision plugin must do.

import type { TObject } from "typebox"
import { Value } from "typebox/value"
import type {
  ChatEvent,
  ChatReply,
  ChatRequest,
  ChatStream,
  Fact,
  PluginCall,
  PluginHook,
  PluginHooks,
  PluginModule,
  Reply,
} from "../kernel/index.ts"
import { createReplyCollector, eventsOf, moduleResults, RtrError, textOf, textReply } from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectFits, expectThat, refuseReports } from "./case.ts"
import { chatRequest, helloRequest, textTurn } from "./chat.ts"
import { grantedHost } from "./granted.ts"

export interface PluginContractOptions {
  /** `configuration` of a decision's plugin. */
  readonly options: Readonly<Record<string, unknown>>
  /** What further `needs` grant at set-up; stores, `clock`, `random` and `log` are there. */
  readonly host?: object
  /** Facts of other signals, by condition type. */
  readonly facts?: Readonly<Record<string, readonly Fact[]>>
}

const requests: readonly ChatRequest[] = [
  helloRequest,
  chatRequest([textTurn("system", "rules"), textTurn("user", "hello")], {
    stream: true,
    generation: { maxOutputTokens: 10, count: 3, stop: ["x"] },
    extensions: { x_unknown: { kept: true } },
  }),
  chatRequest([
    { role: "system", blocks: [] },
    {
      role: "user",
      blocks: [
        { type: "text", text: "look" },
        { type: "image", source: { kind: "url", url: "data:," } },
        { type: "opaque", dialect: "other", value: null },
      ],
    },
  ]),
  chatRequest(
    [
      { role: "assistant", blocks: [{ type: "tool_call", id: "1", name: "f", arguments: "{}" }] },
      { role: "tool", blocks: [{ type: "tool_result", callId: "1", blocks: [] }] },
    ],
    { tools: [{ name: "f" }], toolChoice: "auto" },
  ),
]

const reply: ChatReply = textReply({ text: "hello", model: "m" })

const events: readonly ChatEvent[] = [
  { type: "start", id: "1", model: "m", created: 0 },
  { type: "block_start", choice: 0, index: 0, block: { type: "text" } },
  { type: "block_delta", choice: 0, index: 0, text: "hello" },
  { type: "block_end", choice: 0, index: 0 },
  { type: "block_start", choice: 0, index: 1, block: { type: "tool_call", id: "1", name: "f" } },
  { type: "block_delta", choice: 0, index: 1, text: "{}" },
  { type: "block_end", choice: 0, index: 1 },
  { type: "ping" },
  { type: "opaque", dialect: "other", value: {} },
  { type: "stop", choice: 0, reason: "stop" },
  { type: "usage", usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 } },
  { type: "failed", message: "broken" },
]

/** What the rest may give to `around`: a reply, a stream, an error of the backend. */
const inside = (): readonly Reply[] => [
  { kind: "whole", status: 200, reply: deepFreeze(structuredClone(reply)) },
  { kind: "stream", status: 200, stream: streamOf(events.filter(({ type }) => type !== "failed")) },
  { kind: "failure", status: 503, message: "down" },
]

function streamOf(all: readonly ChatEvent[]): ChatStream {
  const left = [...all]
  return {
    async next() {
      const event = left.shift()
      return event && { events: [deepFreeze(structuredClone(event))], done: left.length === 0 }
    },
    cancel: () => void left.splice(0),
  }
}

/** Reads a stream that a plugin returned to its end, as the kernel would. */
async function drain(stream: ChatStream): Promise<readonly ChatEvent[]> {
  const read: ChatEvent[] = []
  for (let batch = await stream.next(); batch !== undefined; batch = await stream.next())
    read.push(...moduleResults.readEvents(plugin, batch.events))
  return read
}

/** What goes on of these events. */
async function passed(hooks: Partial<PluginHooks>, given: readonly ChatEvent[]): Promise<readonly ChatEvent[]> {
  const { event } = hooks
  if (event === undefined) return given
  const read: ChatEvent[] = []
  for (const each of given)
    read.push(...moduleResults.readEvents(plugin, await event.call(hooks, deepFreeze(structuredClone(each)))))
  return read
}

/** Of a stream with one choice. One that ends with an error needs no reason. */
function expectOneStop(read: readonly ChatEvent[], where: string): void {
  if (hasFailed(read)) return
  const stops = read.filter(({ type }) => type === "stop").length
  expectThat(
    stops === 1,
    `${where} to have the stop event of its choice once, got ${stops}: it tells clients that the reply is complete, and why it ended`,
  )
}

const hasFailed = (read: readonly ChatEvent[]): boolean => read.some(({ type }) => type === "failed")

const textIn = ({ choices }: ChatReply): string => choices.map(textOf).join("\n")

/** What errors call the module, whose id the suite does not know. */
const plugin = "of this suite"
const hookNames: ReadonlySet<string> = new Set<PluginHook>(["before", "around", "event", "after", "end"])

/** A call as a plugin sees it, frozen. */
export function pluginCall(
  request: ChatRequest = helloRequest,
  facts: Readonly<Record<string, readonly Fact[]>> = {},
): PluginCall {
  const call = {
    id: "req-1",
    decision: "test",
    model: "small",
    text: "hello",
    request,
    headers: { "x-request-id": "req-1" },
    principal: { role: "client", permissions: new Set<string>(), name: "anonymous" },
    header: () => undefined,
    factsOf: (type: string) => facts[type] ?? [],
  }
  deepFreeze({ request, headers: call.headers })
  return Object.freeze({ ...call, signal: new AbortController().signal })
}

export function pluginContract<Options extends TObject>(
  // The hooks and needs of a given module are known inside its own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  module: PluginModule<Options, any, any>,
  { options, host = {}, facts = {} }: PluginContractOptions,
): readonly ContractCase[] {
  const frozen = deepFreeze(structuredClone(options))
  const setup = () => module.setup(frozen as never, { ...grantedHost(host), decision: "test" } as never)
  const open = async (request?: ChatRequest): Promise<{ hooks: Partial<PluginHooks>; call: PluginCall }> => {
    const call = pluginCall(structuredClone(request ?? helloRequest), facts)
    return { hooks: (await setup()).open(call), call }
  }
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "plugin", "a module made by definePlugin")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample options and refuses unknown keys", async () => {
      expectFits(module.options, frozen, "the sample options")
      expectThat(!Value.Check(module.options, { ...frozen, no_such_option: 1 }), "an unknown option to be refused")
      await module.check?.(frozen as never, refuseReports("the sample options"))
    }),
    contractCase("opens with exactly the hooks that it declares", async () => {
      const { hooks } = await open()
      const declared = new Set<string>(module.hooks)
      for (const name of declared) {
        expectThat(hookNames.has(name), `a known hook, got "${name}"`)
        expectThat(typeof (hooks as Record<string, unknown>)[name] === "function", `the declared hook "${name}"`)
      }
      for (const name of Object.keys(hooks)) expectThat(declared.has(name), `hook "${name}" to be declared`)
    }),
    contractCase("shows a stream to after, or says how else it is checked", () => {
      const declared = new Set<string>(module.hooks)
      expectThat(
        !declared.has("after") || declared.has("event") || module.stream === "buffer",
        'stream: "buffer" or the hook event beside after, so that no stream passes unseen',
      )
    }),
    contractCase("leaves the request it was given as it was", async () => {
      for (const request of requests) {
        const { hooks, call } = await open(request)
        const result = await hooks.before?.(call)
        if (result === undefined) continue
        const words = new Set(Object.keys(result).map((key) => (key === "headers" ? "request" : key)))
        expectThat(words.size === 1, "a change, an answer or a refusal, and one of them")
        moduleResults.readBefore(plugin, result, call.request)
      }
    }),
    contractCase("reads only facts of the types that it comes after", async () => {
      const declared = module.after?.(frozen as never) ?? []
      for (const given of inside()) {
        const asked = new Set<string>()
        const { factsOf, ...rest } = pluginCall(structuredClone(helloRequest), facts)
        const call: PluginCall = {
          ...rest,
          factsOf(type) {
            asked.add(type)
            return factsOf(type)
          },
        }
        const hooks: Partial<PluginHooks> = (await setup()).open(call)
        // What a hook throws or returns is the matter of other cases.
        await Promise.allSettled([
          (async () => hooks.before?.(call))(),
          (async () => hooks.around?.(call, async () => given))(),
          (async () => given.kind === "whole" && hooks.after?.(given.reply))(),
        ])
        for (const type of asked)
          expectThat(declared.includes(type), `its after to name "${type}", because else nobody may read its rules`)
      }
    }),
    contractCase("returns a reply from around, whatever the rest gives", async () => {
      for (const request of requests)
        for (const given of inside()) {
          const { hooks, call } = await open(request)
          const returned = await hooks.around?.(call, async () => given)
          if (hooks.around === undefined) return
          const result = moduleResults.readAround(plugin, returned, [given])
          if (result.kind === "stream") expectOneStop(await drain(result.stream), "the stream that around returns")
        }
    }),
    contractCase("gives a reply or rejects when the rest rejects", async () => {
      const { hooks, call } = await open()
      if (hooks.around === undefined) return
      const down = new RtrError("upstream_unavailable", "down")
      let returned: unknown
      try {
        returned = await hooks.around(call, () => {
          const rejected = Promise.reject(down)
          // One that the hook does not wait for must fail this case and not the process.
          rejected.catch(() => {})
          return rejected
        })
      } catch {
        return
      }
      moduleResults.readAround(plugin, returned, [])
    }),
    contractCase("turns events into events", async () => {
      const { hooks } = await open()
      await passed(hooks, events)
    }),
    contractCase("lets the stop of a stream pass once", async () => {
      // Backends that do not count tokens end with it.
      for (const left of [["failed"], ["failed", "usage"]]) {
        const { hooks } = await open()
        const given = events.filter(({ type }) => !left.includes(type))
        expectOneStop(await passed(hooks, given), "what event makes of a stream")
      }
    }),
    contractCase("turns a reply into a reply", async () => {
      const { hooks } = await open()
      if (hooks.after === undefined) return
      const given = deepFreeze(structuredClone(reply))
      moduleResults.readAfter(plugin, await hooks.after(given), given)
    }),
    contractCase("changes the text of a reply whether it comes whole or as a stream", async () => {
      // What around does before these hooks is not known here.
      if (module.hooks.includes("around")) return
      const afterOf = async ({ hooks }: { readonly hooks: Partial<PluginHooks> }, given: ChatReply) => {
        if (hooks.after === undefined) return given
        return moduleResults.readAfter(plugin, await hooks.after(deepFreeze(structuredClone(given))), given)
      }
      const [whole, stream] = [await open(), await open()]
      const left = await passed(stream.hooks, eventsOf(reply))
      if (hasFailed(left)) return
      const collector = createReplyCollector()
      for (const event of left) collector.add(event)
      const streamed = module.stream === "buffer" ? await afterOf(stream, collector.reply()) : collector.reply()
      const changesWhole = textIn(await afterOf(whole, reply)) !== textIn(reply)
      const changesStream = textIn(streamed) !== textIn(reply)
      const [changing, passing] = changesWhole ? ["after", "event"] : ["event", "after"]
      expectThat(
        changesWhole === changesStream,
        `${passing} to change the text of a reply as ${changing} does, because clients get it whole or as a stream`,
      )
    }),
    contractCase("takes every end of a call", async () => {
      for (const how of ["complete", "failed", "left"] as const) {
        const { hooks } = await open()
        hooks.end?.(how)
      }
    }),
  ]
}
