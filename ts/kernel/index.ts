// The public API of `rtr`. Everything an outside module or an embedding host may use is listed here by hand.

export { type Static, type TObject, type TSchema, Type } from "typebox"

export { createBareKernel, createKernel, type Kernel, type KernelOptions } from "./runtime/edge.ts"

// ── making modules ──

export {
  defineDialect,
  defineLooper,
  definePlugin,
  defineProvider,
  defineRoute,
  defineSelector,
  defineSignal,
  defineStore,
  operation,
} from "./modules/define.ts"
export { hostApiVersion, type MaybePromise, type Report, type RuntimeName } from "./types/module-base.ts"
export type { AnyModule, ModuleKind, StoreModule } from "./types/module.ts"
export type { Capability, HttpClient, Log, ModelCaller, OtherApi, OtherRequests } from "./types/capability.ts"

// ── errors ──

export { lazyField } from "./chat/lazy-field.ts"
export { type DocumentPath, type ErrorCode, errorCodes, isRtrError, moduleFaultText, RtrError } from "./error.ts"
export { type GuardUse, guardUses, type UnreadOutcome } from "./config/sections/guard-use.ts"
export { documentWarnings } from "./config/warnings/document-warnings.ts"
export { isSettableHeader } from "./config/header-text.ts"

export { ConfigError, formatProblem } from "./config/config-error.ts"
export { formatPath } from "./schema/problem.ts"
export { type InferenceErrorFields, inferenceErrorBody } from "./http/error-body.ts"
export { closest, type Problem, suggestion } from "./schema/problem.ts"
export { readPlainUrl } from "./schema/plain-url.ts"

// ── chat ──

export type * from "./types/chat.ts"
export { parseBackendObject } from "./chat/backend-json.ts"
export { clientHeaders } from "./chat/client-headers.ts"
export { createReplyCollector, type ReplyCollector } from "./chat/collect-reply.ts"
export {
  createEventSplitter,
  type EventBatch,
  type EventSplitter,
  maxEventBytes,
  type ServerSentEvent,
  upTo,
  writeEvent,
} from "./chat/event-stream.ts"
export { eventsOf } from "./chat/reply-events.ts"
export { textReply } from "./chat/text-reply.ts"
export type {
  DialectModule,
  DialectSchemas,
  RequestTarget,
  StreamReader,
  StreamReaderOptions,
  StreamWriter,
  WireObject,
} from "./types/dialect.ts"

// ── kinds ──

export type {
  ExpectedLabels,
  KnownModel,
  NarrowFacts,
  PreviewContext,
  ReadDocumentFile,
  RegisteredSignal,
  RoutingSection,
  RuleOf,
  SecondModel,
  SignalInput,
  SignalModule,
  SignalReader,
  SignalSurroundings,
} from "./types/signal.ts"
export type {
  AlgorithmUse,
  Candidate,
  Choice,
  LearningStep,
  LearningTrace,
  ModelFigures,
  SelectionOutcome,
  SelectorModule,
  SelectorReader,
} from "./types/selector.ts"
export type {
  AskedModel,
  AskOptions,
  LooperAnswer,
  LooperCall,
  LooperModule,
  LooperResponse,
  LooperSurroundings,
} from "./types/looper.ts"
export type { BeforeResult, PluginCall, PluginHook, PluginHooks, PluginModule } from "./types/plugin.ts"
export type {
  Backend,
  HostReasoning,
  ProviderBackend,
  ProviderFormat,
  ProviderModule,
  ReasoningChoice,
  ReasoningFamily,
  ReasoningWriter,
} from "./types/provider.ts"
export type * from "./types/store.ts"
export type {
  AdjustHost,
  ListenerKind,
  Operation,
  OperationInfo,
  OperationInput,
  OperationReply,
  OperationResult,
  Permission,
  ReplyFilter,
  ReplyForm,
  ReplySpec,
  RouteHost,
  RouteModule,
  UnroutedRequest,
} from "./types/route.ts"

// ── facts, questions, records ──

export type { GuardPolicy, GuardReading, UnreadKind, Unscanned } from "./types/guard.ts"
export { type Fact, type FactState, type Finding, reasonOf, type UnknownReason } from "./types/fact.ts"
export type {
  BatchedQuestions,
  BoundService,
  BoundTo,
  Classification,
  Decided,
  Grounds,
  DeploymentStatus,
  ImageInput,
  Inference,
  InferenceAnswer,
  InferenceOptions,
  InferenceTask,
  OpenService,
  PartialCoverage,
  QuestionKind,
  QuestionKinds,
  Ranking,
  Service,
  ServiceDeployment,
  ServiceHost,
  TextSpan,
  TokenCounts,
  TypedQuestion,
} from "./types/inference.ts"
export type { Attempt, Call, CallRecord, Outcome } from "./types/call.ts"
export { levelOf, type LogLevel, requestLine, type RequestLineOptions, timeText } from "./log/request-line.ts"
export { addUsage } from "./pipeline/record.ts"
export type { Counter, Gauge, Histogram, Labels, Metrics } from "./types/metrics.ts"
export type { Plan, PlannedCandidate, PlannedDecision, Pricing } from "./types/plan.ts"
export { type Predicate, predicateHolds, predicateProblem } from "./types/predicate.ts"
export type {
  ActivationReason,
  ActivationStage,
  ActivationStatus,
  KernelStatus,
  ModelEntry,
  Preview,
  PreviewOptions,
  Rejection,
} from "./types/status.ts"
export type { Transport, TransportRequest, TransportResponse } from "./types/transport.ts"

// ── HTTP ──

export { createListenerApp, type ListenerApp, type ListenerAppOptions } from "./http/app.ts"
export type { ByteSource } from "./types/byte-source.ts"
export { createHeldMemory, type HeldMemory } from "./http/held-memory.ts"
export { parseExactJson } from "./http/json.ts"
export type { ChangedDocument, DocumentChange, KeptDocument, ReadDocument } from "./types/capability.ts"
export { ManagementError } from "./http/management-error.ts"
export { listOperations, type MountedOperation, mountOperations } from "./http/mount.ts"
export { openApiDocument } from "./http/load-openapi.ts"
export type { OpenApiDocument } from "./http/openapi.ts"
export { operationId } from "./http/operation-id.ts"
export { guardRule, guardSettings } from "./schema/guard-options.ts"
export { type RuleEntry, rulesSchema } from "./config/sections/rules.ts"
export { createRuleTree, ruleProblems, type RuleTree, ruleTypes } from "./rule-tree.ts"
export { duration, exactlyOneOf, literals, mapOf, section, taggedUnion } from "./schema/shapes.ts"

// ── texts and options of modules ──

export * as moduleResults from "./pipeline/module-results.ts"
export { type GuardTexts, loadGuardTexts, type ReadGuardTexts } from "./chat/load-guard-texts.ts"
export { lastUserText, lastUserTurns, textOf } from "./chat/texts.ts"
export { hasText, normalizeText, normalizing } from "./text/normalize.ts"
export type { Work } from "./host/work.ts"
export { workOn } from "./text/slices.ts"
export type { NormalizedText, TextRange } from "./text/edited-text.ts"
