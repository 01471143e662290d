// The public API of `rtr`. Everything an outside module or an embedding host may use is listed here by hand.

export { type Static, Type } from "typebox"

export { createKernel, type Kernel, type KernelOptions } from "./runtime/edge.ts"

export { defineRoute, definePlugin, defineProvider, defineSelector, defineSignal } from "./modules/define.ts"
export { type DocumentPath, type ErrorCode, errorCodes, isRtrError, RtrError } from "./error.ts"
export { closest, ConfigError, formatProblem, type Problem, suggestion } from "./config/problem.ts"

export { inferenceErrorBody as errorBody, toPublicError } from "./http/error-body.ts"
export { readBody } from "./http/body.ts"
export { cancelSignalOf } from "./http/cancel-signal.ts"
export { jsonResponse, streamResponse, textResponse } from "./http/response.ts"
export { routingHeaders, routingMetadata } from "./http/headers.ts"
export { chatCompletions } from "./protocols/index.ts"
export { textOf } from "./pipeline/input.ts"
export { type ReadableText, saysAnything, withPlainSigns } from "./pipeline/readable-text.ts"
export { reasonOf } from "./pipeline/signals.ts"

export type {
  ChatChunk,
  ChatContentPart,
  ChatMessage,
  ChatReply,
  ChatRequest,
  ChatUsage,
  ChunkBatch,
  JsonReply,
  Reply,
  StreamReply,
} from "./types/chat.ts"
export type { Call, Outcome, Routing, SignalInput } from "./types/call.ts"
export type { Fact, FactState, UnknownReason } from "./types/fact.ts"
export type {
  Classification,
  DeploymentStatus,
  Inference,
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
  PartlyRead,
  TextSpan,
  TokenCounts,
} from "./types/inference.ts"
export type { Counter, Gauge, Histogram, Labels, Metrics } from "./types/metrics.ts"
export {
  type AnyModule,
  type Backend,
  type BeforeResult,
  type Candidate,
  type Choice,
  hostApiVersion,
  type KnownModel,
  type ModuleKind,
  type PluginCall,
  type PluginHooks,
  type PluginModule,
  type ProviderBackend,
  type ProviderModule,
  type ReasoningChoice,
  type Report,
  type RouteModule,
  type RuleOf,
  type RouteRequest,
  type RuntimeName,
  type SelectorModule,
  type SignalModule,
  type SignalNeed,
  type SignalReader,
} from "./types/module.ts"
export type { Plan } from "./types/plan.ts"
export { type Predicate, predicateHolds, predicateProblem } from "./types/predicate.ts"
export type { KernelStatus, ModelEntry, Preview, RoutePowers } from "./types/route.ts"
export type { ByteSource } from "./types/byte-source.ts"
export type { CancelSignal } from "./types/cancel-signal.ts"
export type { Transport, TransportRequest, TransportResponse } from "./types/transport.ts"
