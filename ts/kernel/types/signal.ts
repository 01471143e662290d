// The contract of signals: a signal reads a request and returns one fact per rule.

import type { Static, TArray, TObject } from "typebox"
import type { ChatReply, ChatRequest } from "./chat.ts"
import type { Capability, Granted } from "./capability.ts"
import type { Fact } from "./fact.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { RegisteredModule } from "./module.ts"
import type { Principal } from "./principal.ts"
import type { BoundService } from "./inference.ts"

/** The request as signals and selectors see it. */
export interface SignalInput {
  /** Text of the last user turn. */
  readonly text: string
  readonly request: ChatRequest
  readonly principal: Principal
  /** A header of the client's request; names are lower case. */
  readonly header: (name: string) => string | undefined
  /** Facts of the signal types that this signal comes `after`. */
  readonly factsOf: (type: string) => readonly Fact[]
  /**
   * The texts that a rule of a guard has to read, each once: those of the whole request, or of the last user turn where the
   * rule has `include_history: false`; with `max_scan_tokens` the newest that fit. Throws `scan_budget_exceeded` when they are too many.
   */
  readonly textsFor: (rule: {
    readonly name: string
    readonly include_history?: boolean | undefined
    readonly max_scan_tokens?: number | undefined
  }) => readonly string[]
  /**
   * Whether a text of `textsFor` is of the application or its model: it stands in system or developer messages, definitions of tools or
   * what the assistant said, and nowhere else.
   */
  readonly isTrusted: (text: string) => boolean
  /** Whether a text of `textsFor` is put together from messages or entries of a list of a few words each. */
  readonly isJoined: (text: string) => boolean
  /** Set on the reply side only, where `request` and `text` are the reply's. */
  readonly reply?: ChatReply
  /** What the reply answers. */
  readonly asked?: ChatRequest
  /** Set where no call follows: nothing may be learnt from it, and nothing be left to chance. */
  readonly preview?: PreviewContext
}

/** Who a preview is for. */
export interface PreviewContext {
  /** In place of the headers of the request. */
  readonly sessionId?: string
  readonly conversationId?: string
  /** Name of the API key of the client. */
  readonly userId?: string
  /** Begins the random numbers of a preview that may draw some. */
  readonly samplingSeed?: number
}

export type RuleOf<Rule extends TObject> = Static<Rule> & { readonly name: string; readonly description?: string }

export interface SignalReader<Need extends Capability = never> {
  /** One fact per rule, or per name of `factNames`, in any order. Throwing makes every fact of this signal unknown; whether that opens or closes is the decision's policy. */
  read(input: SignalInput, host: Granted<Need, "call">): MaybePromise<readonly Fact[]>
}

/** The text of a file that a document names, found beside it. Rejects with an `RtrError`. */
export type ReadDocumentFile = (path: string) => Promise<string>

export type RegisteredSignal = RegisteredModule<SignalModule>

/** The document that a signal's rules stand in, for signals that look at other parts of it as well. */
export interface SignalSurroundings {
  readonly document: {
    readonly listeners?: readonly {
      readonly address: string
      readonly api_keys?: readonly (string | { readonly name: string })[]
    }[]
    readonly routing?: object
    readonly global?: object
  }
  /** All signals that there are. */
  readonly signals: readonly RegisteredSignal[]
  /** Left out on hosts that read no files. */
  readonly readFile?: ReadDocumentFile | undefined
}

/** What is known before a signal runs of the model that it asks and of the document. */
export interface KnownModel extends Partial<SignalSurroundings> {
  /** Labels of its head; undefined where only its worker can tell them. */
  readonly labels?: readonly string[] | undefined
  /** Names that conditions may refer to, by condition type; a type without an entry accepts every name. */
  readonly declared?: ReadonlyMap<string, ReadonlySet<string>>
}

/** Changes the facts of a signal before anybody reads them. */
export type NarrowFacts = (facts: readonly Fact[]) => readonly Fact[]

/** A section of `routing`, for a signal whose rules are no list under `routing.signals`. */
export interface RoutingSection {
  /** Where it stands under `routing`; paths of the signal's `check` start there. */
  readonly path: readonly string[]
  readonly schema: TObject
  /** The rules in `routing`, of each name one; with `read` only those that decisions ask for, which are the ones that are set up. */
  readonly rules: (routing: object, read?: boolean) => readonly { readonly name: string }[]
  /** How it changes the facts of a signal with rules of these names; undefined where it does not. */
  readonly narrow?: (routing: object, names: readonly string[]) => NarrowFacts | undefined
}

/** A decision whose rules ask for rules of this signal. */
export interface DecisionUse {
  /** Those of its rules that the root of the decision asks for; empty below a NOT. */
  readonly rules: readonly string[]
  /** Cards of its candidates; undefined for a model without one. */
  readonly cards: readonly (Readonly<Record<string, unknown>> | undefined)[]
}

/** `x-rtr-NAME`: its surest match, or the smallest of its numbers. */
export interface DebugHeader {
  readonly name: string
  readonly tells: "match" | "number"
}

/** A model that a signal asks beside that of its `binding`: each question for it names the binding of this one. */
export interface SecondModel {
  /** Also the name of the deployment that answers where the document binds nothing. */
  readonly binding: string
  /** The embedded package of that deployment, with its head. */
  readonly artifact: string
  readonly head: string
  /** Whether this document has it asked. */
  readonly isAsked: (document: object) => boolean
}

/** What the head of a model has to have for a rule. */
export interface ExpectedLabels {
  readonly labels: readonly string[]
  /** A model with further labels does not fit either. */
  readonly noOthers?: true
}

export interface SignalModule<
  Rule extends TObject = TObject,
  Settings extends TObject | TArray = TObject,
  Need extends Capability = Capability,
> extends ModuleBase {
  readonly kind: "signal"
  /** Key of the rule list under `routing.signals`; the id when left out. */
  readonly configKey?: string
  /** `type` of the conditions that refer to these rules; the id when left out. */
  readonly conditionType?: string
  readonly needs?: readonly Need[]
  /** Entry of `global.model_catalog.bindings` that says which deployment answers; the id when left out. */
  readonly binding?: string
  /** Head of the default deployment that answers when the document binds nothing. Without one, a document has to bind this signal, unless it asks for vectors only. */
  readonly defaultHead?: string
  /**
   * For rules that ask models of their own, instead of `binding`: kinds of entries, with the rules that ask through them. Rule
   * `policy` asks through `kind.policy`, or else `kind`, and each of its questions names the first as its `binding`.
   */
  readonly ruleBindings?: Readonly<Record<string, (rule: RuleOf<Rule>) => boolean>>
  /**
   * Labels that a rule needs of the model of a binding (`binding`, a kind of `ruleBindings`, or that of `second`): a document is
   * refused where the model lacks one, because the rule could never match. Undefined for a rule that takes any labels.
   */
  readonly expectedLabels?: (
    rule: RuleOf<Rule>,
    asked: { readonly binding: string; readonly settings: Static<Settings> },
  ) => ExpectedLabels | undefined
  /** For a signal whose rules share their models. */
  readonly second?: SecondModel
  /** The entry for `inference.embed`, for a signal that asks a model of another kind as well; `binding` when left out. */
  readonly embeddingBinding?: string
  /** Which of `needs` these rules have, every one when left out. A model that no rule asks needs no deployment. */
  readonly asks?: (rules: readonly RuleOf<Rule>[], settings: Static<Settings>) => readonly Need[]
  readonly routing?: RoutingSection
  /** Condition types whose facts this signal reads, or these rules of it; they are read before it. */
  readonly after?: readonly string[] | ((rules: readonly RuleOf<Rule>[]) => readonly string[])
  /** Rules of other signals whose facts a rule is made of, by condition type, so that a guard among them is known to be in use. */
  readonly madeOf?: (rule: RuleOf<Rule>) => readonly { readonly type: string; readonly name: string }[]
  /**
   * Why a rule cannot be a member of a partition, which leaves at most one of its members matching. A signal without it has no
   * partitions; one that has it calls `narrowing` in its setup.
   */
  readonly partitionProblem?: (rule: RuleOf<Rule>, semantics: "exclusive" | "softmax_exclusive") => string | undefined
  /** Whether a rule reads replies, for plugins that ask. Decisions come before there is one. */
  readonly readsReply?: (rule: RuleOf<Rule>) => boolean
  /**
   * A guard reads a text to its end, in windows, and a text that is too long even for that makes its facts unknown.
   * Other signals read the beginning. A vector is made of one window, so `embed` rejects a longer text.
   */
  readonly guard?: boolean
  /**
   * What `read` throws refuses the request instead of leaving facts unknown: only its sender can mend it. It comes before all
   * other signals, reads no facts, and answers at once.
   */
  readonly refuses?: true
  /** `on_error` of the conditions that do not say their own, when the settings demand one. That of `guardSettings` needs none. */
  readonly onUnknown?: (settings: Static<Settings>) => "match" | "no_match" | undefined
  /** Options of one rule, without `name` and `description`, which every rule has. */
  readonly rule: Rule
  /**
   * The facts of one rule by the names that conditions use, for a signal where a rule has another name or several
   * (`name:hard`); equal names of two rules are one fact. A condition with a `label` asks for `name:label`. The rule's name
   * when left out, as for every guard.
   */
  readonly factNames?: (rule: RuleOf<Rule>) => readonly string[]
  /** A section of `global` that holds for all rules of this signal. */
  readonly settings?: { readonly path: readonly string[]; readonly schema: Settings }
  /** Services and deployments that other parts of the document than `bindings` name for this signal's questions. */
  readonly services?: (document: SignalSurroundings["document"]) => readonly BoundService[]
  /** Value from which a rule matches that has no `threshold` of its own, for previews. */
  readonly usualThreshold?: (settings: Static<Settings>, document: object, rule: RuleOf<Rule>) => number | undefined
  /** A header of its own for clients that debug. */
  readonly debugHeader?: DebugHeader
  /** Rules to assume for condition names when the document declares none. */
  readonly implyRules?: (names: readonly string[]) => readonly RuleOf<Rule>[]
  /**
   * Finds what the schema cannot: patterns that do not compile, names outside a list. Paths start at the rule list. A check
   * that loads a library returns a promise.
   */
  readonly check?: (rules: readonly RuleOf<Rule>[], report: Report, known?: KnownModel) => MaybePromise<void>
  /** Finds what is wrong with the settings, whether or not there are rules. Paths start at `global`. */
  readonly checkGlobal?: (document: SignalSurroundings["document"], report: Report) => MaybePromise<void>
  /** Finds decisions that cannot give what their rules ask for. Paths start at the decision. */
  readonly checkDecision?: (use: DecisionUse, report: Report) => MaybePromise<void>
  /** Scores that a rule gives to models; they hold for the decision of the rule's name. */
  readonly modelScores?: (rule: RuleOf<Rule>) => Readonly<Record<string, number>>
  /** Runs once per activation. Compile patterns and make vectors here, so that `read` only compares. */
  readonly setup: (
    rules: readonly RuleOf<Rule>[],
    host: { readonly settings: Static<Settings> } & Partial<SignalSurroundings> & Granted<Need, "setup">,
  ) => MaybePromise<SignalReader<Need> & { close?(): MaybePromise<void> }>
}
