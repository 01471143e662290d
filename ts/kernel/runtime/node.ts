// The entry `rtr/node`: what a Node host may use beside the kernel itself.

export { type BoundHead, headProblem, type PackageHead } from "../config/bound-heads.ts"
export { documentSchema } from "../config/schema/document.ts"
export type { ConfigDocument } from "../config/schema/document.ts"
export type { ResolvedDocument } from "../config/resolve.ts"
export type { NeededDeployment } from "../config/deployments.ts"
export { deploymentsOf, loadConfig, type LoadedConfig } from "./load-config.ts"
export { type BuildFeatures, buildFeatures } from "./build-features.ts"
export {
  createNativeInference,
  type Device,
  type Engine,
  type EngineModel,
  type EngineOptions,
  listDevices,
  type ModelState,
  openEngine,
  type ProfileReport,
  type ServeAddress,
} from "./native.ts"
export { toNodeListener } from "./node-listener.ts"
export { loadRegistry } from "./node-modules.ts"
export { createNodeTransport } from "./node-transport.ts"
export { type BuiltinModel, builtinPackageNames, findBuiltinPackage, readBuiltinModels } from "./packages/builtin.ts"
export { type CheckedPackage, checkPackage } from "./packages/check-package.ts"
export { findPackage, type FoundPackage, type PackageOptions } from "./packages/find-package.ts"
export { createPrometheusMetrics, type PrometheusMetrics } from "./prometheus.ts"
export { createRemoteInference, type RemoteDeployment } from "./remote.ts"
export { type RunningRouter, startRouter, type StartOptions } from "./start-router.ts"
