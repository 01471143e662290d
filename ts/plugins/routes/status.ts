// GET /startup-status and GET /api/v1/status: how far the process is, and on which configuration.

import {
  type ActivationStatus,
  defineRoute,
  formatPath,
  type KernelStatus,
  literals,
  operation,
  type OperationReply,
  type Rejection,
  Type,
} from "../../kernel/index.ts"
import { processOperation, readinessBody } from "../_shared/process-readiness.ts"

const kept = {
  ...processOperation,
  method: "GET",
  permission: "ready.read",
} as const

const time = Type.String({ format: "date-time" })

const rejection = Type.Object(
  {
    attempt: Type.Integer(),
    hash: Type.String(),
    stage: Type.String(),
    at: time,
    reasons: Type.Array(
      Type.Object({
        stage: Type.String(),
        code: Type.String(),
        path: Type.Optional(Type.String({ description: "Dotted path into the document" })),
        message: Type.String(),
        line: Type.Optional(Type.Integer()),
      }),
    ),
  },
  { description: "The newest document that was refused, until a newer one serves" },
)

const startupStatus = Type.Object({
  phase: Type.String(),
  ready: Type.Boolean(),
  message: Type.Optional(Type.String()),
  pending_models: Type.Array(Type.String()),
  ready_models: Type.Integer(),
  total_models: Type.Integer(),
  updated_at: time,
  model_deployments: Type.Array(
    Type.Object({
      name: Type.String(),
      artifact: Type.String(),
      process: Type.String(),
      state: literals(["starting", "loading", "warming", "ready", "degraded", "failed"]),
      ready: Type.Boolean(),
      reason: Type.Optional(Type.String()),
      restarts: Type.Integer(),
    }),
  ),
  config_warnings: Type.Array(Type.String(), {
    description: "Warnings of the serving document, each with its path",
  }),
  last_rejection: Type.Optional(rejection),
})

const processStatus = Type.Object({
  schema_version: Type.Literal("v1"),
  scope: Type.Literal("replica"),
  instance_id: Type.String(),
  observed_at: time,
  startup: Type.Object({ phase: Type.String(), ready: Type.Boolean(), observed_at: time }),
  config: Type.Object({
    active_hash: Type.Optional(Type.String()),
    active_version: Type.Optional(
      Type.Integer({
        description: "As replies tell it in x-rtr-config-version; it grows with each document that serves",
      }),
    ),
    observed_hash: Type.Optional(Type.String()),
    observed_attempt: Type.Integer(),
    activation_status: Type.Optional(literals(["active", "pending", "failed", "superseded"])),
    activation_stage: Type.Optional(literals(["parse", "compile", "validate", "warm", "activate"])),
  }),
  conditions: Type.Array(
    Type.Object({ type: Type.String(), status: literals(["True", "False", "Unknown"]), reason: Type.String() }),
  ),
})

export default defineRoute({
  about: "Startup progress and conditions",
  listeners: ["management"],
  operations: [
    operation({
      ...kept,
      id: "status.startup",
      path: "/startup-status",
      about: "Startup progress and the state of every model deployment",
      replies: {
        200: { about: "Ready", schema: startupStatus },
        503: { about: "Not ready", schema: startupStatus },
      },
      setup:
        ({ status }) =>
        () =>
          startup(status()),
    }),
    operation({
      ...kept,
      id: "status.read",
      path: "/api/v1/status",
      about: "Conditions of this process",
      replies: { 200: { about: "What this process observes of itself", schema: processStatus } },
      setup:
        ({ status }) =>
        () => ({ body: conditions(status()) }),
    }),
  ],
})

function startup(status: KernelStatus): OperationReply {
  const { lastRejection } = status.activation
  return {
    status: status.ready ? 200 : 503,
    body: {
      ...readinessBody(status),
      updated_at: status.updatedAt.toISOString(),
      model_deployments: status.deployments,
      config_warnings: status.configWarnings.map(({ path, message }) => `${formatPath(path)}: ${message}`),
      ...(lastRejection !== undefined && { last_rejection: toBody(lastRejection) }),
    },
  }
}

const toBody = ({ at, ...rest }: Rejection): object => ({ ...rest, at: at.toISOString() })

type Condition = readonly [type: string, status: "True" | "False" | "Unknown", reason: string]

/** Conditions with their stable reason codes. */
function conditions(status: KernelStatus): object {
  const { activation, phase } = status
  const complete = phase === "ready"
  const startupReason = complete ? "StartupComplete" : phase === "error" ? "StartupFailed" : "StartupIncomplete"
  const hasConfig = activation.activeHash !== undefined
  const rows: readonly Condition[] = [
    ["Live", "True", "ProcessRunning"],
    ["StartupComplete", complete ? "True" : "False", startupReason],
    ["ActiveConfigAvailable", hasConfig ? "True" : "False", hasConfig ? "ActiveConfigAvailable" : "NoActiveConfig"],
    ["ConfigConverged", ...convergence(activation)],
    // Whether the backends answer is not observed here, so readiness is never claimed.
    !complete
      ? ["Ready", "False", startupReason]
      : hasConfig
        ? ["Ready", "Unknown", "RequiredDependenciesUnobserved"]
        : ["Ready", "False", "NoActiveConfig"],
  ]
  return {
    schema_version: "v1",
    scope: "replica",
    instance_id: status.instanceId,
    observed_at: new Date().toISOString(),
    startup: { phase, ready: status.ready, observed_at: status.updatedAt.toISOString() },
    config: {
      ...(activation.activeHash !== undefined && {
        active_hash: activation.activeHash,
        active_version: activation.version,
      }),
      ...(activation.observedHash !== undefined && { observed_hash: activation.observedHash }),
      observed_attempt: activation.attempt,
      ...(activation.state !== "none" && { activation_status: activation.state }),
      ...(activation.stage !== undefined && { activation_stage: activation.stage }),
    },
    conditions: rows.map(([type, state, reason]) => ({ type, status: state, reason })),
  }
}

/** Whether the newest document that was tried is the one that serves. */
function convergence({
  activeHash,
  observedHash,
  state,
}: ActivationStatus): readonly ["True" | "False" | "Unknown", string] {
  if (activeHash === undefined || observedHash === undefined) return ["Unknown", "ConfigIdentityUnobserved"]
  if (activeHash === observedHash) return ["True", "ConfigHashesMatch"]
  if (state === "failed") return ["False", "ConfigActivationFailed"]
  return ["False", state === "superseded" ? "ConfigActivationSuperseded" : "ConfigActivationPending"]
}
