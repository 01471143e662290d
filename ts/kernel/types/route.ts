// The contract of routes: a route is a list of operations with schemas; the kernel validates, authorises and writes.

import type { Static, TObject, TProperties, TSchema } from "typebox"
import type { ErrorCode } from "../error.ts"
import type { Capability, Granted, Log } from "./capability.ts"
import type { ByteSource } from "./byte-source.ts"
import type { Outcome } from "./call.ts"
import type { Call } from "./call.ts"
import type { ChatRequest } from "./chat.ts"
import type { DialectModule } from "./dialect.ts"
import type { MaybePromise, ModuleBase, Report } from "./module-base.ts"
import type { Principal } from "./principal.ts"
import type { Plan } from "./plan.ts"
import type { KeyValueStore, OpenStore } from "./store.ts"

export const listenerKinds = ["inference", "management", "metrics"] as const
export type ListenerKind = (typeof listenerKinds)[number]

export const permissions = [
  "health.read",
  "ready.read",
  "docs.read",
  "metrics.read",
  "classify.invoke",
  "config.read",
  "config.write",
  "secret_view",
  "learning.ingest",
  "replay.read",
  "replay.detail",
  "data.read",
  "data.write",
  "cache.read",
  "cache.invalidate",
  "cache.manage",
  "compression.read",
  "compression.preview",
  "compression.manage",
  "audit.read",
  /** Inference listeners: their keys are the whole of it. */
  "inference.invoke",
] as const
export type Permission = (typeof permissions)[number]

export const capabilityGroups = [
  "system",
  "routing",
  "diagnostics",
  "inventory",
  "observability",
  "config",
  "storage",
  "plugins",
  "inference",
] as const
export const planes = ["infrastructure", "management", "diagnostic", "data"] as const
export const audiences = ["agent", "operator", "client", "internal"] as const
export const visibilities = ["primary", "advanced"] as const
export const sensitivities = ["public", "operational", "config", "replay", "secret_view", "mutation"] as const

/** One reply of an operation. Without a schema the reply has no body. */
export interface ReplySpec {
  readonly about: string
  readonly schema?: TSchema
  /** `application/json` when left out. */
  readonly type?: string
  /** A second content type, of another body for the same status, such as a stream of events. */
  readonly otherType?: string
}

/** How the outcome of a chat request is written for its client. */
export type ReplyWriter = Pick<
  DialectModule,
  "streamType" | "writeReply" | "writer" | "errorBody" | "failureBody" | "errorEvent" | "idHeader"
>

/** The same for an operation whose body is no chat request in a dialect. */
export interface ReplyForm extends Pick<ReplyWriter, "streamType" | "writeReply" | "writer"> {
  /** The dialect whose format errors and failures of backends have. */
  readonly errorsOf: string
  /** The data of one event of a stream, for the OpenAPI document; left out where nothing is streamed. */
  readonly event?: TSchema
}

/** What discovery, the OpenAPI document and the reference page tell of an operation. */
export interface OperationInfo {
  /** Stable name, such as `routing.preview`. */
  readonly id: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Parameters stand in braces: `/v1/models/{id}`. */
  readonly path: string
  readonly about: string
  readonly permission: Permission
  readonly sensitivity: (typeof sensitivities)[number]
  readonly capability: (typeof capabilityGroups)[number]
  readonly plane: (typeof planes)[number]
  readonly audiences: readonly (typeof audiences)[number][]
  readonly visibility?: (typeof visibilities)[number]
  readonly stability: "stable" | "experimental"
  readonly params?: TObject
  /** The last parameter of the path may hold slashes: it takes the rest of the path. */
  readonly lastParamTakesRest?: boolean
  readonly query?: TObject
  /** A JSON body that the kernel checks. */
  readonly body?: TSchema
  /** The body is a chat request in this dialect, which also gives the formats of replies and errors. */
  readonly dialect?: string
  /** Writes outcomes, for an operation with a `body` of its own. */
  readonly form?: ReplyForm
  /** Largest body in bytes; 10 MiB when left out, 32 MiB where an outcome is written. */
  readonly maxBodyBytes?: number
  readonly replies: Readonly<Record<number, ReplySpec>>
  readonly errors: "management" | "inference"
  /** Statuses of errors beside those that every operation may have. */
  readonly errorStatuses?: readonly number[]
  /** Codes of the management API for query parameters that are wrong; `*` stands for those that are not named. */
  readonly queryCodes?: Readonly<Record<string, string>>
  /** Listeners on which it needs no key and no token. */
  readonly open?: readonly ListenerKind[]
  /** Listeners that serve it: those of its route, filled in by the kernel. */
  readonly listeners?: readonly ListenerKind[]
}

/** A checked request. */
export interface OperationInput<Params, Query, Body> {
  /** Correlation id; also in the `x-request-id` response header. */
  readonly id: string
  readonly params: Params
  readonly query: Query
  readonly body: Body
  /** The body as its dialect reads it. Only an operation that names a dialect has it. */
  readonly chat: ChatRequest
  /** A chat request as a call of the pipeline, on behalf of this client. */
  readonly call: (request: ChatRequest) => Call
  readonly principal: Principal
  /** Keeps what the request holds, its generation and memory, until the returned function is called too: for work after the reply. */
  readonly retain: () => () => void
  /** Counts bytes of memory that the request takes until it has ended. Throws where there is no room for them. */
  readonly hold: (bytes: number) => void
  readonly header: (name: string) => string | undefined
  readonly listener: string
  readonly listenerKind: ListenerKind
  /** When the request came, in milliseconds as `performance.now()` counts them. */
  readonly startedAt: number
}

/** A JSON reply; status 200 when left out. */
export interface OperationReply {
  readonly status?: number
  readonly body?: unknown
  /** A body that is no JSON; its content type is the reply's `type`. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sees and changes a chat reply on its way to the client, after its dialect has written it. Failures do not pass it. */
export interface ReplyFilter {
  whole(text: string): Promise<string>
  stream(source: ByteSource): ByteSource
}

/**
 * What a handler returns: a reply, or the outcome of a chat request, which the operation's dialect or form writes. `chat` is
 * that request, where no dialect has read it from the body.
 */
export type OperationResult = OperationReply | ChatResult

export interface ChatResult {
  readonly outcome: Outcome
  readonly chat?: ChatRequest
  readonly filter?: ReplyFilter
}

/** What a route adjusts a plan with. */
export interface AdjustHost {
  /** What its `open` has returned. */
  readonly opened: unknown
  /** The document, or what a recipe sees of it. */
  readonly document: object
  /** A part of the document's store for state. */
  readonly kv: (name: string) => KeyValueStore
  readonly clock: () => number
  readonly random: () => number
  readonly log: Log
}

/** What a route opens things with. */
export interface RouteHost {
  /** The route's section of the document, as its schema says. */
  readonly settings: unknown
  /** A store, closed with the generation. Equal settings give one store for all who open it. */
  readonly openStore: (type: string, configuration: Readonly<Record<string, unknown>>) => Promise<OpenStore>
  /** One value for all generations that ask for this name, made by the first. */
  readonly share: <Value>(name: string, make: () => Value) => Promise<Value>
  readonly clock: () => number
  readonly log: Log
}

type SchemaType<Schema> = Schema extends TSchema ? Static<Schema> : undefined

export interface Operation<
  Params extends TObject | undefined = TObject | undefined,
  Query extends TObject | undefined = TObject | undefined,
  Body extends TSchema | undefined = TSchema | undefined,
  Need extends Capability = Capability,
> extends OperationInfo {
  readonly params?: Exclude<Params, undefined>
  readonly query?: Exclude<Query, undefined>
  readonly body?: Exclude<Body, undefined>
  readonly needs?: readonly Need[]
  /** Runs once per activation; returns the handler. `opened` is what the route's `open` has returned. */
  readonly setup: (
    host: Granted<Need, "setup">,
    opened: unknown,
  ) => (input: OperationInput<SchemaType<Params>, SchemaType<Query>, SchemaType<Body>>) => MaybePromise<OperationResult>
}

export interface RouteModule extends ModuleBase {
  readonly kind: "route"
  readonly listeners: readonly ListenerKind[]
  /** A section of its own, at this path below `global`. */
  readonly settings?: {
    readonly path: readonly string[]
    readonly schema: TObject
    /** Finds what the schema cannot, in a section that fits it. Routes that share a section share its check. */
    readonly check?: (settings: unknown, report: Report) => MaybePromise<void>
  }
  /** Runs once per activation of a document that has the section, before the operations are set up. */
  readonly open?: (host: RouteHost) => unknown
  /** Keys of `routing.decisions[]`, for a route that `adjust`s plans. */
  readonly keys?: {
    readonly decision: TProperties
    /** Finds what the schema cannot, in every decision. Paths start at the decision. */
    check(decision: object, report: Report, document: object): void
  }
  /** Changes a compiled plan, also that of each recipe, where `open` has opened something. */
  readonly adjust?: (plan: Plan, host: AdjustHost) => MaybePromise<{ readonly plan: Plan; close(): Promise<void> }>
  // The type parameters of an operation are known inside its own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly operations: readonly Operation<any, any, any, any>[]
}

/** A request that has no call record: one that was refused before its call began, or whose operation calls no model. */
export interface UnroutedRequest {
  /** Undefined where not even the head of the request could be read. */
  readonly id: string | undefined
  readonly listener: string
  readonly kind: ListenerKind
  /** Undefined as the id is. */
  readonly method: string | undefined
  /** Path of the operation; undefined where there is none, because a client writes what it likes there. */
  readonly path: string | undefined
  /** Everybody may ask it, as a load balancer does again and again. */
  readonly open: boolean
  /** Name of the key or the token that was sent, as far as it is known. */
  readonly key: string | undefined
  readonly status: number
  readonly error: ErrorCode | undefined
  readonly totalMs: number
}
