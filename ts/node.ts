// The entry `rtr/node`: what a Node host may use beside the kernel itself.

export {
  type ActivationOutcome,
  type BoundHead,
  type BuildFeatures,
  buildFeatures,
  type ConfigDocument,
  createKernel,
  createPrometheusMetrics,
  createRoutePreview,
  createRemoteInference,
  createNodeTransport,
  deploymentsOf,
  type Device,
  documentSchema,
  type Engine,
  type EngineModel,
  type EngineOptions,
  headProblem,
  type Kernel,
  type KernelOptions,
  listDevices,
  migrateConfig,
  type LoadedConfig,
  type LoadedDocument,
  literalSecrets,
  loadBuiltins,
  type ModelState,
  type NeededDeployment,
  openEngine,
  type PackageHead,
  type ProfileReport,
  type ReadAddress,
  type ReadAddresses,
  readAddresses,
  redactSecrets,
  type RoutePreview,
  type RoutePreviewOptions,
  type PrometheusMetrics,
  type RemoteDeployment,
  type ResolvedDocument,
  type RouterWorkers,
  type RunningRouter,
  type ServeAddress,
  startRouter,
  type StartOptions,
  toNodeListener,
} from "./kernel/runtime/node.ts"
export { loadConfig } from "./models/load-config.ts"
export { createNativeInference, type NativeInferenceOptions } from "./models/native-inference.ts"
export {
  type BuiltinModel,
  builtinPackageNames,
  findBuiltinPackage,
  readBuiltinModels,
} from "./models/packages/builtin.ts"
export { type CheckedPackage, checkPackage } from "./models/packages/check-package.ts"
export { findPackage, type FoundPackage, type PackageOptions } from "./models/packages/find-package.ts"
export { readHeads } from "./models/packages/read-heads.ts"
export type { InferenceLease } from "./workers/lease.ts"
export type { WorkerLog } from "./workers/log.ts"
export { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from "./workers/pool.ts"
