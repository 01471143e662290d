// What the kernel offers on Node. `ts/node.ts` adds models and workers to it, which makes the public entry `rtr/node`.

export { type BoundHead, headProblem, type PackageHead } from "../config/bound-heads.ts"
export { documentSchema } from "../config/schema/document.ts"
export type { ConfigDocument } from "../config/schema/document.ts"
export type { ResolvedDocument } from "../config/resolve.ts"
export type { NeededDeployment } from "../config/deployments.ts"
export type { Environment } from "../config/environment.ts"
export { deploymentsOf, loadConfig, type LoadedConfig } from "./load-config.ts"
export { type BuildFeatures, buildFeatures } from "./build-features.ts"
export { findUp } from "./find-up.ts"
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
export { createPrometheusMetrics, type PrometheusMetrics } from "./prometheus.ts"
export { createRemoteInference, type RemoteDeployment } from "./remote.ts"
export { type RunningRouter, startRouter, type StartOptions } from "./start-router.ts"
export { createUndiciTransport } from "./undici-transport.ts"
