// The contract of decision plugins: they run around the model call of the decisions that list them.

import type { Static, TObject } from "typebox"
import type { RtrError } from "../error.ts"
import type { Granted, Capability } from "./capability.ts"
import type { ChatEvent, ChatReply, ChatRequest, Reply } from "./chat.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { Fact } from "./fact.ts"
import type { SignalInput } from "./signal.ts"

/** One call as a plugin sees it. */
export interface PluginCall extends Omit<SignalInput, "reply" | "asked" | "textsFor" | "isTrusted" | "isJoined"> {
  readonly id: string
  readonly decision: string
  /** The chosen model; empty for a decision without one. */
  readonly model: string
  readonly request: ChatRequest
  /** Headers that the upstream request will carry, lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  /** For a plugin with `judges`: has its signals read a reply whole, before anybody else sees it. */
  readonly judge?: (reply: Exclude<Reply, { kind: "failure" }>) => Promise<JudgedReply>
}

/** What signals say of a reply. */
export interface JudgedReply {
  /** All that they could read, also where it came as a stream. */
  readonly reply: ChatReply
  readonly facts: readonly Fact[]
  /** A rule matches, or a guard did not read all, or not in a language that it knows, and the document counts that as found. */
  readonly isFound: boolean
}

/** Continue (`undefined`), change the request or its upstream headers, answer at once, or refuse. */
export type BeforeResult =
  | undefined
  | { readonly request?: ChatRequest; readonly headers?: Readonly<Record<string, string>> }
  | { readonly answer: ChatReply }
  | { readonly refuse: RtrError }

/** A hook is waited for as long as the listener's `timeout`, not counting what `next` takes, and no longer than the client waits. */
export interface PluginHooks {
  before(call: PluginCall): MaybePromise<BeforeResult>
  /** Runs the rest by `next`, once, several times, or not at all. */
  around(call: PluginCall, next: (call: PluginCall) => Promise<Reply>): Promise<Reply>
  /** Sees one event of a stream; returns what goes on instead: nothing, one event or several. */
  event(event: ChatEvent): MaybePromise<ChatEvent | readonly ChatEvent[] | undefined>
  /** Sees a whole successful reply; returns it or a changed one. With `stream: "buffer"` also that of a stream. */
  after(reply: ChatReply): MaybePromise<ChatReply>
  /** Runs once when the call is over, however it ended. */
  end(how: "complete" | "failed" | "left"): void
}
export type PluginHook = keyof PluginHooks

export const pluginHooks = ["before", "around", "event", "after", "end"] as const satisfies readonly PluginHook[]

/** A rule for replies; `settings` are those of its signal. */
export type ReplyRule = (settings: object) => { readonly name: string }

export interface PluginModule<
  Options extends TObject = TObject,
  Hook extends PluginHook = PluginHook,
  Need extends Capability = Capability,
> extends ModuleBase {
  readonly kind: "plugin"
  readonly options: Options
  /** The hooks that the plugin has. After-hooks run in the reverse order of before-hooks. */
  readonly hooks: readonly Hook[]
  /** `buffer` holds a stream until it is whole and shows it to `after`. A plugin with `after` and without `event` must say so. */
  readonly stream?: "buffer"
  readonly needs?: readonly Need[]
  /** Plugins with a smaller number run earlier; those with the same run in the listed order. 100 when left out. */
  readonly order?: number
  /** The plugin can answer by itself, so that its decision needs no model. */
  readonly answers?: boolean
  /** What `x-rtr-` and this name say to clients that ask for debug headers: whether the plugin has changed something. */
  readonly debugHeader?: string
  /**
   * Signals that read replies for this plugin, by condition type: their rules for replies, or this one where the document has
   * none. Undefined where the plugin asks nothing.
   */
  readonly judges?: (options: Static<Options>) => Readonly<Record<string, ReplyRule>> | undefined
  /** Condition types whose facts it reads; those that have rules are read although no decision asks for them. */
  readonly after?: (options: Static<Options>) => readonly string[]
  /** Finds what the schema cannot. Paths start at `configuration`. */
  readonly check?: (options: Static<Options>, report: Report) => MaybePromise<void>
  /** Runs once per decision and activation; `open` runs once per call, so that the state of a call is a closure. */
  readonly setup: (
    options: Static<Options>,
    host: { readonly decision: string } & Granted<Need, "setup">,
  ) => MaybePromise<{
    open(call: PluginCall): Pick<PluginHooks, Hook>
    close?(): MaybePromise<void>
  }>
}
