// What modules may ask the kernel for. A module's host has exactly what its `needs` names; `modules/capabilities.ts` makes them.

import type { DocumentPath } from "../error.ts"
import type { Call, CallRecord, Outcome } from "./call.ts"
import type { ChatReply, ChatRequest, Reply } from "./chat.ts"
import type { DialectModule } from "./dialect.ts"
import type { GuardReading } from "./guard.ts"
import type { BatchedQuestions, ImageInput, Inference, PartialCoverage, Ranking } from "./inference.ts"
import type { Metrics } from "./metrics.ts"
import type { OperationInfo } from "./route.ts"
import type { Plan } from "./plan.ts"
import type { Principal } from "./principal.ts"

import type { KernelStatus, ModelEntry, Preview, PreviewOptions } from "./status.ts"
import type { KeyValueStore, RecordStore, VectorStore } from "./store.ts"

/** Calls a configured model outside the decision's own call. */
export interface ModelCaller {
  /**
   * Asks a model by name and returns its whole reply. With `about`, the input or call that the module was given, the attempt
   * stands in that request's record. Rejects with an `RtrError`; an error status is `upstream_error`.
   */
  ask(
    model: string,
    request: ChatRequest,
    options?: {
      readonly about?: object
      readonly signal?: AbortSignal
      /** Longest wait for the reply to begin and to go on, where that is shorter than the request's own. */
      readonly timeoutMs?: number
    },
  ): Promise<ChatReply>
}

/** Another API at the hosts of chat models, such as their embeddings. */
export interface OtherApi extends Pick<DialectModule, "writeRequest" | "readReply"> {
  /** Stands where that of chats would stand: `/embeddings`. */
  readonly path: string
}

/** What routes do for requests that are no chats. */
export interface OtherRequests {
  /** Deployments of the generation; undefined where it has none. */
  readonly inference: Inference | undefined
  /** Runs the work of one request, whose record is closed and told of like that of every other. */
  answer(call: Call, work: (record: CallRecord) => Promise<Reply>): Promise<Outcome>
  /** Calls a backend of the model that the request names. Throws `unsupported_surface` for one that does not have OpenAI's paths. */
  callModel(call: Call, record: CallRecord, api: OtherApi): Promise<Reply>
  /** What the rules of all guards say to a request; empty where the document has none. */
  readGuards(call: Call, record: CallRecord): Promise<readonly GuardReading[]>
}

/** Outbound calls to helper services. Redirects are not followed. */
export interface HttpClient {
  /** Sends JSON and reads JSON. Rejects with `upstream_error`, `upstream_timeout` or `upstream_unavailable`. */
  json(
    url: string,
    options?: {
      readonly method?: "GET" | "POST" | "PUT" | "DELETE"
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
      /** 10,000 when left out. */
      readonly timeoutMs?: number
      /** Further attempts after a connection error or a 429, 502, 503 or 504; 0 when left out. */
      readonly retries?: number
      readonly signal?: AbortSignal
    },
  ): Promise<unknown>
}

/** A change of the document that serves. */
export interface DocumentChange {
  /** Values by their path; undefined removes one. They are set in order. */
  readonly values: readonly (readonly [path: DocumentPath, value: unknown])[]
  /**
   * Texts of files by their path, relative to the document, written before it is checked. A file that is there already stays
   * as it is: the generation that serves may read it, so another text needs another path.
   */
  readonly files?: Readonly<Record<string, string>>
  /** Who asks for the change, and what of the request goes into the document. */
  readonly client: {
    readonly permissions: Principal["permissions"]
    /** Left out where nothing does. References to the environment in it need the permission `secret_view`. */
    readonly brought?: unknown
  }
  /** `If-Match` of the client, where the operation needs one. */
  readonly ifMatch?: { readonly header: string | undefined }
}

export interface ReadDocument {
  /** As it is written: references to the environment stand as they are. */
  readonly value: Readonly<Record<string, unknown>>
  /** The same without its secrets, for those who may not see them. */
  readonly redacted: Readonly<Record<string, unknown>>
  /** Changes with every byte of the file. */
  readonly etag: string
}

export interface ChangedDocument {
  /** SHA-256 of the new document, by which `GET /api/v1/config/hash` tells when it serves. */
  readonly hash: string
  readonly etag: string
  readonly status: "pending" | "active"
  /** How it ends; resolves when its file is written. */
  readonly settled: Promise<"active" | "failed">
}

/** The file of the document that serves, for operations that change it. */
export interface KeptDocument {
  read(): Promise<ReadDocument>
  /** A file beside the document, or one that comes with the product. */
  readFile(path: string): Promise<string>
  /** Checks the document with the change. Rejects with a `ManagementError` that lists what would be wrong. */
  check(change: DocumentChange): Promise<void>
  /**
   * Checks the document with the change and begins to activate it; its file is written when it serves. Comments stay. Rejects
   * with a `ManagementError`: the document would be wrong, has changed since, or another change is under way.
   */
  change(change: DocumentChange): Promise<ChangedDocument>
}

/** Writes one line of the log. Fields never hold prompts, model text or secrets. */
export type Log = (
  level: "info" | "warning" | "error",
  event: string,
  fields?: Readonly<Record<string, unknown>>,
) => void

/**
 * Every capability by name. `setup` is there when the module is set up, `call` for each request (signals only, whose model
 * questions of one request travel together).
 */
export interface Capabilities {
  "inference.classify": { readonly setup: object; readonly call: Pick<BatchedQuestions, "classify"> }
  "inference.spans": {
    readonly setup: object
    /** Parts of the text that the model marks, in order. `threshold` is the probability that a part needs. */
    readonly call: Pick<BatchedQuestions, "spans">
  }
  "inference.embed": {
    /** Vectors of fixed texts and images, made once for as long as their model serves. */
    readonly setup: { embedAll(inputs: readonly (string | ImageInput)[]): Promise<readonly Float32Array[]> }
    readonly call: Pick<BatchedQuestions, "embed">
  }
  "inference.decide": {
    readonly setup: object
    readonly call: Pick<BatchedQuestions, "decide">
  }
  "inference.rerank": {
    readonly setup: object
    readonly call: { rerank(query: string, documents: readonly string[]): Promise<Ranking & PartialCoverage> }
  }
  /** The port itself, for modules that name their deployment. */
  inference: { readonly setup: { readonly inference: Inference }; readonly call: object }
  models: { readonly setup: { readonly models: ModelCaller }; readonly call: object }
  http: { readonly setup: { readonly http: HttpClient }; readonly call: object }
  "store.kv": { readonly setup: { readonly kv: KeyValueStore }; readonly call: object }
  /** Workflows that wait for the client's tools, shared by all who ask for them. */
  "store.workflows": { readonly setup: { readonly workflows: KeyValueStore }; readonly call: object }
  "store.records": { readonly setup: { readonly records: RecordStore }; readonly call: object }
  "store.vectors": {
    readonly setup: { vectors(options: { readonly dimensions: number }): VectorStore }
    readonly call: object
  }
  metrics: { readonly setup: { readonly metrics: Metrics }; readonly call: object }
  log: { readonly setup: { readonly log: Log }; readonly call: object }
  /** Milliseconds since 1970. */
  clock: { readonly setup: { readonly clock: () => number }; readonly call: object }
  /** A number from 0 to below 1. */
  random: { readonly setup: { readonly random: () => number }; readonly call: object }
  /** Routes and answers one request; rejects with an `RtrError`. */
  "routing.run": { readonly setup: { run(call: Call): Promise<Outcome> }; readonly call: object }
  /** Reads signals, decides and selects without calling a model backend. */
  "routing.preview": {
    readonly setup: { preview(call: Call, options?: PreviewOptions): Promise<Preview> }
    readonly call: object
  }
  "routing.other": { readonly setup: { other(): OtherRequests }; readonly call: object }

  /** Reads a body in a dialect, as an inference route does. */
  dialects: { readonly setup: { readChat(dialect: string, body: unknown): ChatRequest }; readonly call: object }
  /** The plan that serves this request. */
  plan: { readonly setup: { plan(): Plan | undefined }; readonly call: object }
  "models.list": { readonly setup: { modelList(listener: string): readonly ModelEntry[] }; readonly call: object }
  status: { readonly setup: { status(): KernelStatus }; readonly call: object }
  /** The file of the document; undefined on a host that does not follow one. */
  document: { readonly setup: { readonly document: KeptDocument | undefined }; readonly call: object }
  /** The operations of this router, for discovery and its OpenAPI document. */
  operations: { readonly setup: { operations(): readonly OperationInfo[] }; readonly call: object }
  /** The metrics exposition, or undefined on a host without a metrics library. */
  exposition: {
    readonly setup: { metricsText(): Promise<{ contentType: string; text: string } | undefined> }
    readonly call: object
  }
}
export type Capability = keyof Capabilities

type Every<Union> = (Union extends unknown ? (value: Union) => void : never) extends (value: infer All) => void
  ? All
  : never

/** The host of a module that has these needs. */
export type Granted<Need extends Capability, Phase extends "setup" | "call"> = [Need] extends [never]
  ? object
  : Every<Capabilities[Need][Phase]>
