// GET /startup-status and GET /api/v1/status: how far the process is, and on which configuration.

import { defineRoute, jsonResponse, type KernelStatus } from "../../kernel/index.ts"

export default defineRoute({
  about: "Startup progress and conditions",
  listeners: ["management"],
  needs: ["status"],
  operations: [
    { method: "GET", path: "/startup-status", about: "Startup progress and the state of every model deployment" },
    { method: "GET", path: "/api/v1/status", about: "Conditions of this process" },
  ],
  setup: ({ status }) => [({ id }) => startup(status(), id), ({ id }) => jsonResponse(conditions(status()), 200, id)],
})

function startup(status: KernelStatus, id: string): Response {
  const pending = status.deployments.filter(({ ready }) => !ready)
  const body = {
    phase: status.phase,
    ready: status.ready,
    ...(status.message !== undefined && { message: status.message }),
    pending_models: pending.map(({ name }) => name),
    ready_models: status.deployments.length - pending.length,
    total_models: status.deployments.length,
    updated_at: status.updatedAt.toISOString(),
    model_deployments: status.deployments,
  }
  return jsonResponse(body, status.ready ? 200 : 503, id)
}

type Condition = readonly [type: string, status: "True" | "False" | "Unknown", reason: string]

/** Conditions with their stable reason codes (spec 1, Health, readiness and startup). */
function conditions(status: KernelStatus): object {
  const complete = status.phase === "ready"
  const startupReason = complete ? "StartupComplete" : status.phase === "error" ? "StartupFailed" : "StartupIncomplete"
  const hasConfig = status.configHash !== undefined
  const rows: readonly Condition[] = [
    ["Live", "True", "ProcessRunning"],
    ["StartupComplete", complete ? "True" : "False", startupReason],
    ["ActiveConfigAvailable", hasConfig ? "True" : "False", hasConfig ? "ActiveConfigAvailable" : "NoActiveConfig"],
    ["ConfigConverged", hasConfig ? "True" : "Unknown", hasConfig ? "ConfigHashesMatch" : "ConfigIdentityUnobserved"],
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
    startup: { phase: status.phase, ready: status.ready, observed_at: status.updatedAt.toISOString() },
    config: hasConfig
      ? { active_hash: status.configHash, observed_hash: status.configHash, activation_status: "active" }
      : {},
    conditions: rows.map(([type, state, reason]) => ({ type, status: state, reason })),
  }
}
