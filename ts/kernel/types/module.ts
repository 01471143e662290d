// The contracts of every module kind. A module is one file with one default export; its id is the file name.

import type { Static, TObject, TSchema } from "typebox"
import type { DocumentPath, RtrError } from "../error.ts"
import type { ChatChunk, ChatReply, ChatRequest, Reply } from "./chat.ts"
import type { SignalInput } from "./call.ts"
import type { Fact } from "./fact.ts"
import type { Classification, PartlyRead, TextSpan } from "./inference.ts"
import type { RoutePowers } from "./route.ts"
import type { StoreModule } from "./store.ts"
import type { TransportRequest } from "./transport.ts"

/** Version of the contracts in this file, as the manifest tells it. */
export const hostApiVersion = 1

export type ModuleKind = "signal" | "selector" | "plugin" | "provider" | "route" | "store"
export type RuntimeName = "node" | "deno" | "edge"

export interface ModuleBase {
  /** One line that says what the module does; shown by the manifest, the docs and the command line. */
  readonly about: string
  /** Hosts that the module works on; left out when it works on every one. */
  readonly runtimes?: readonly RuntimeName[]
}

/** Reports one thing that is wrong; `path` is relative to the value that was checked. */
export type Report = (path: DocumentPath, message: string) => void

type MaybePromise<Value> = Value | Promise<Value>

// ── signals ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a signal may ask for; it gets exactly what its `needs` names. */
export interface SignalPowers {
  "inference.classify": {
    readonly setup: object
    readonly read: { classify(text: string): Promise<Classification> }
  }
  "inference.spans": {
    readonly setup: object
    readonly read: {
      /** Parts of the text that the model marks, in order. `threshold` is the probability that a part needs. */
      spans(text: string, options?: { readonly threshold?: number }): Promise<readonly TextSpan[] & PartlyRead>
    }
  }
  "inference.embed": {
    /** Vectors of fixed texts, made once at activation. */
    readonly setup: { embedAll(texts: readonly string[]): Promise<readonly Float32Array[]> }
    readonly read: { embed(text: string): Promise<Float32Array & PartlyRead> }
  }
}
export type SignalNeed = keyof SignalPowers
type Every<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never
type Granted<Need extends SignalNeed, Stage extends "setup" | "read"> = [Need] extends [never]
  ? object
  : Every<SignalPowers[Need][Stage]>

export type RuleOf<Rule extends TObject> = Static<Rule> & { readonly name: string; readonly description?: string }

export interface SignalReader<Need extends SignalNeed = never> {
  /** One fact per rule, in any order. Throwing makes every fact of this signal unknown; whether that opens or closes is the decision's policy. */
  read(input: SignalInput, ask: Granted<Need, "read">): MaybePromise<readonly Fact[]>
}

/** What is known of the model that a signal asks, before it runs. */
export interface KnownModel {
  /** Labels of its head; undefined where only its worker can tell them. */
  readonly labels?: readonly string[] | undefined
}

export interface SignalModule<
  Rule extends TObject = TObject,
  Settings extends TObject = TObject,
  Need extends SignalNeed = SignalNeed,
> extends ModuleBase {
  readonly kind: "signal"
  /** Key of the rule list under `routing.signals`; the id when left out. */
  readonly configKey?: string
  /** `type` of the conditions that refer to these rules; the id when left out. */
  readonly conditionType?: string
  readonly needs?: readonly Need[]
  /** Entry of `global.model_catalog.bindings` that says which deployment answers; the id when left out. */
  readonly binding?: string
  /** The entry for `inference.embed`, for a signal that asks a model of another kind as well; `binding` when left out. */
  readonly embeddingBinding?: string
  /** Which of `needs` these rules have, every one when left out. A model that no rule asks needs no deployment. */
  readonly asks?: (rules: readonly RuleOf<Rule>[], settings: Static<Settings>) => readonly Need[]
  /**
   * For guards: what the model is asked about a text that is longer than its input limit. `true` has the text read to
   * its end, in windows, and a text that is too long even for that makes the facts unknown. Otherwise its beginning is read.
   * A vector is made of one window, so `embed` rejects a longer text.
   */
  readonly readsWhole?: boolean
  /** `on_error` of the conditions that do not say their own, when the settings demand one. */
  readonly onUnknown?: (settings: Static<Settings>) => "match" | "no_match" | undefined
  /** Options of one rule, without `name` and `description`, which every rule has. */
  readonly rule: Rule
  /** A section of `global` that holds for all rules of this signal. */
  readonly settings?: { readonly path: readonly string[]; readonly schema: Settings }
  /** Rules to assume for condition names when the document declares none. */
  readonly implyRules?: (names: readonly string[]) => readonly RuleOf<Rule>[]
  /** Finds what the schema cannot: patterns that do not compile, names outside a list. Paths start at the rule list. */
  readonly check?: (rules: readonly RuleOf<Rule>[], report: Report, known?: KnownModel) => void
  /** Runs once per activation. Compile patterns and make vectors here, so that `read` only compares. */
  readonly setup: (
    rules: readonly RuleOf<Rule>[],
    host: { readonly settings: Static<Settings> } & Granted<Need, "setup">,
  ) => MaybePromise<SignalReader<Need>>
}

// ── selectors ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Candidate {
  readonly model: string
  /** Score that the domain of the decision's name gives this model (`model_scores`); 1 when it gives none. */
  readonly score: number
}

export interface Choice {
  /** Index of the chosen candidate. */
  readonly candidate: number
  readonly confidence: number
  readonly reason: string
}

export interface SelectorModule<Options extends TObject = TObject> extends ModuleBase {
  readonly kind: "selector"
  /** Options of the block that `algorithm` names after its type; absent for a selector without options. */
  readonly options?: Options
  /** Returns the per-request function. Throwing there makes the first candidate the choice. */
  readonly setup: (
    options: Static<Options>,
    host: { readonly candidates: readonly Candidate[] },
  ) => MaybePromise<(input: SignalInput) => MaybePromise<Choice>>
}

// ── plugins ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** One call as a plugin sees it. `headers` are those that the upstream request will carry. */
export interface PluginCall {
  readonly id: string
  readonly decision: string
  readonly model: string
  readonly request: ChatRequest
  readonly headers: Readonly<Record<string, string>>
}

/** Continue (`undefined`), change the request or its upstream headers, answer at once, or refuse. */
export type BeforeResult =
  | undefined
  | { readonly request?: ChatRequest; readonly headers?: Readonly<Record<string, string>> }
  | { readonly answer: Reply }
  | { readonly refuse: RtrError }

/** A plugin offers the hooks it needs; the kernel looks for them. After-hooks run in the reverse order of before-hooks. */
export interface PluginHooks {
  before?(call: PluginCall): MaybePromise<BeforeResult>
  around?(call: PluginCall, next: (call: PluginCall) => Promise<Reply>): Promise<Reply>
  /** Sees one streamed chunk; returns it, a changed one, or `undefined` to drop it. */
  onChunk?(chunk: ChatChunk, call: PluginCall): ChatChunk | undefined
  /** Sees a whole successful reply; returns it or a changed one. */
  after?(reply: ChatReply, call: PluginCall): MaybePromise<ChatReply>
}

export interface PluginModule<Options extends TObject = TObject> extends ModuleBase {
  readonly kind: "plugin"
  readonly options: Options
  /** Plugins with a smaller number run earlier; those with the same run in the listed order. 100 when left out. */
  readonly order?: number
  /** Finds what the schema cannot. Paths start at `configuration`. */
  readonly check?: (options: Static<Options>, report: Report) => void
  readonly setup: (options: Static<Options>) => MaybePromise<PluginHooks>
}

// ── providers ────────────────────────────────────────────────────────────────────────────────────────────────────

/** One `backend_refs` entry with everything resolved. */
export interface Backend {
  readonly name: string
  /** Absolute base URL without a trailing slash. */
  readonly baseUrl: string
  readonly chatPath: string | undefined
  readonly apiVersion: string | undefined
  readonly authHeader: string | undefined
  readonly authPrefix: string | undefined
  readonly apiKey: string | undefined
  readonly extraHeaders: Readonly<Record<string, string>>
}

export interface ReasoningChoice {
  readonly enabled: boolean
  readonly effort: string
  readonly family: {
    readonly type: "chat_template_kwargs" | "reasoning_effort" | "top_level_reasoning_effort"
    readonly parameter: string
  }
}

/** A backend ready to be called. */
export interface ProviderBackend {
  /** The upstream request without time-outs and abort signal, which the pipeline adds. */
  toRequest(input: {
    readonly request: ChatRequest
    readonly upstreamModel: string
    readonly headers: Readonly<Record<string, string>>
    readonly reasoning: ReasoningChoice | undefined
  }): Pick<TransportRequest, "method" | "url" | "headers" | "body">
}

export interface ProviderModule extends ModuleBase {
  readonly kind: "provider"
  /** Wire format of the backend; the pipeline has one codec for each. */
  readonly dialect: "chat_completions"
  readonly setup: (backend: Backend) => ProviderBackend
}

// ── routes ───────────────────────────────────────────────────────────────────────────────────────────────────────

export type ListenerKind = "inference" | "management" | "metrics"

export interface RouteRequest {
  /** Correlation id; also in the `x-request-id` response header. */
  readonly id: string
  readonly request: Request
  readonly startedAt: number
  readonly listener: string
  /** Counts bytes that this request keeps in memory until it is answered. Throws `overloaded` when the listener holds too many. */
  readonly hold: (bytes: number) => void
  /** Keeps what is held beyond the handler's return, for a reply that streams, until the function that it returns is called. */
  readonly keep: () => () => void
}

export interface RouteOperation {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly about: string
}

export interface RouteModule<Need extends keyof RoutePowers = keyof RoutePowers> extends ModuleBase {
  readonly kind: "route"
  readonly listeners: readonly ListenerKind[]
  readonly needs: readonly Need[]
  readonly operations: readonly RouteOperation[]
  /** Handlers in the order of `operations`. */
  readonly setup: (powers: Every<RoutePowers[Need]>) => readonly ((request: RouteRequest) => MaybePromise<Response>)[]
}

// The type parameters of a registered module are known inside its own file only, and a list of modules with different
// options has no narrower type.
/* oxlint-disable typescript/no-explicit-any */
export type AnyModule =
  | SignalModule<any, any, any>
  | SelectorModule<any>
  | PluginModule<any>
  | ProviderModule
  | RouteModule<any>
  | StoreModule<any>

/* oxlint-enable typescript/no-explicit-any */

export interface RegisteredModule<Module extends AnyModule = AnyModule> {
  readonly id: string
  readonly module: Module
  /** `builtin`, or where an outside module came from. */
  readonly source: string
}

export type OptionsOf<Schema extends TSchema> = Static<Schema>
