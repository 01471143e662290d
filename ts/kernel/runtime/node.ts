// What the kernel offers on Node. `ts/node.ts` adds models and workers to it, which makes the public entry `rtr/node`.

export type { NeededDeployment } from "../config/bindings.ts"
export type { ConfigDocument } from "../config/document-schema.ts"
export { documentSchema } from "../config/recipes/whole-schema.ts"
export type { Environment } from "../config/environment.ts"
export { type BoundHead, headProblem, type PackageHead } from "../config/package-heads.ts"
export type { ResolvedDocument } from "../config/resolve.ts"
export { literalSecrets, redactSecrets } from "../config/secrets.ts"
export type { ActivationOutcome } from "../generations/activation.ts"
export type { InferenceLease, LoadedDocument } from "../generations/prepare.ts"
export { type BuildFeatures, buildFeatures } from "./build-features.ts"
export { findUp } from "./find-up.ts"
export { deploymentsOf, loadConfig, type LoadConfigOptions, type LoadedConfig, migrateConfig } from "./load-config.ts"
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
export type { Kernel, KernelOptions } from "./edge.ts"
export { type ConfigOptions, createKernel, deploymentsFor } from "./node-kernel.ts"
export { toNodeListener } from "./node-listener.ts"
export { loadBuiltins } from "./node-modules.ts"
export { createNodeTransport } from "./node-transport.ts"
export { createPrometheusMetrics, type PrometheusMetrics } from "./prometheus.ts"
export { type ReadAddress, type ReadAddresses, readAddresses } from "./read-addresses.ts"
export { createRemoteInference, type RemoteDeployment } from "./remote.ts"
export { createRoutePreview, type RoutePreview, type RoutePreviewOptions } from "./route-preview.ts"
export { type RouterWorkers, type RunningRouter, startRouter, type StartOptions } from "./start-router.ts"
