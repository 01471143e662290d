// What every decision plugin must do.

import type { TObject } from "typebox"
import { Value } from "typebox/value"
import type {
  ChatEvent,
  ChatReply,
  ChatRequest,
  PluginCall,
  PluginHook,
  PluginHooks,
  PluginModule,
} from "../kernel/index.ts"
import { textReply } from "../kernel/index.ts"
import { type ContractCase, contractCase, deepFreeze, expectThat } from "./case.ts"
import { chatRequest, helloRequest, textTurn } from "./chat.ts"
import { grantedHost } from "./granted.ts"

export interface PluginContractOptions {
  /** `configuration` of a decision's plugin. */
  readonly options: Readonly<Record<string, unknown>>
  /** What further `needs` grant at set-up; stores, `clock`, `random` and `log` are there. */
  readonly host?: object
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
const eventTypes: ReadonlySet<string> = new Set(events.map(({ type }) => type))
const hookNames: ReadonlySet<string> = new Set<PluginHook>(["before", "around", "event", "after", "end"])

/** A call as a plugin sees it, frozen. */
export function pluginCall(request: ChatRequest = helloRequest): PluginCall {
  const call = {
    id: "req-1",
    decision: "test",
    model: "small",
    text: "hello",
    request,
    headers: { "x-request-id": "req-1" },
    principal: { role: "client", permissions: new Set<string>(), name: "anonymous" },
    header: () => undefined,
    factsOf: () => [],
  }
  deepFreeze({ request, headers: call.headers })
  return Object.freeze({ ...call, signal: new AbortController().signal })
}

export function pluginContract<Options extends TObject>(
  // The hooks and needs of a given module are known inside its own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  module: PluginModule<Options, any, any>,
  { options, host = {} }: PluginContractOptions,
): readonly ContractCase[] {
  const frozen = deepFreeze(structuredClone(options))
  const setup = () => module.setup(frozen as never, { ...grantedHost(host), decision: "test" } as never)
  const open = async (request?: ChatRequest): Promise<{ hooks: Partial<PluginHooks>; call: PluginCall }> => {
    const call = pluginCall(structuredClone(request ?? helloRequest))
    return { hooks: (await setup()).open(call), call }
  }
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "plugin", "a module made by definePlugin")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("accepts its sample options and refuses unknown keys", () => {
      expectThat(Value.Check(module.options, frozen), "the sample options to fit the schema")
      expectThat(!Value.Check(module.options, { ...frozen, no_such_option: 1 }), "an unknown option to be refused")
      module.check?.(frozen as never, (path, message) => {
        throw new Error(`Expected the sample options to be valid, got ${path.join(".")}: ${message}`)
      })
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
        checkBefore(result)
      }
    }),
    contractCase("turns events into events", async () => {
      const { hooks } = await open()
      for (const event of events) {
        const result = await hooks.event?.(deepFreeze(structuredClone(event)))
        const list: readonly unknown[] = Array.isArray(result) ? result : result === undefined ? [] : [result]
        for (const each of list)
          expectThat(
            eventTypes.has((each as { type?: string } | null)?.type ?? ""),
            `an event, a list of events or nothing for "${event.type}"`,
          )
      }
    }),
    contractCase("turns a reply into a reply", async () => {
      const { hooks } = await open()
      const result = await hooks.after?.(deepFreeze(structuredClone(reply)))
      if (hooks.after === undefined) return
      expectThat(Array.isArray(result?.choices) && typeof result.id === "string", "a reply from after")
    }),
  ]
}

function checkBefore(result: object): void {
  const kinds =
    ["answer", "refuse"].filter((kind) => kind in result).length + ("request" in result || "headers" in result ? 1 : 0)
  expectThat(kinds === 1, "a change, an answer or a refusal, and one of them")
  if ("request" in result && result.request !== undefined) {
    const { model, turns, tools, generation, session, extensions } = result.request as ChatRequest
    expectThat(
      typeof model === "string" && Array.isArray(turns) && Array.isArray(tools),
      "the changed request to be a request",
    )
    for (const part of [generation, session, extensions])
      expectThat(typeof part === "object" && part !== null, "the changed request to have all its parts")
    for (const { role, blocks } of turns)
      expectThat(typeof role === "string" && Array.isArray(blocks), "turns with blocks")
  }
  if ("answer" in result)
    expectThat(Array.isArray((result.answer as ChatReply | undefined)?.choices), "the answer to be a whole reply")
  if ("refuse" in result) expectThat(result.refuse instanceof Error, "the refusal to be an error")
}
