// GET /health and GET /ready: what load balancers ask. They need no key.

import { defineRoute, jsonResponse, type KernelStatus, type RouteRequest } from "../../kernel/index.ts"

const service = "rtr"

export default defineRoute({
  about: "Liveness and readiness",
  listeners: ["inference", "management"],
  needs: ["status"],
  operations: [
    { method: "GET", path: "/health", about: "Liveness: the process answers" },
    { method: "GET", path: "/ready", about: "Readiness: 503 until startup is complete and while draining" },
  ],
  setup: ({ status }) => [
    ({ listener, id }) =>
      jsonResponse(listener === "management" ? { status: "healthy", service } : { status: "ok" }, 200, id),
    (from) => ready(status(), from),
  ],
})

function ready(status: KernelStatus, { listener, id }: RouteRequest): Response {
  const code = status.ready ? 200 : 503
  if (listener !== "management") return jsonResponse({ status: status.ready ? "ready" : "not_ready" }, code, id)
  const pending = status.deployments.filter((deployment) => !deployment.ready)
  return jsonResponse(
    {
      status: status.ready ? "ready" : "starting",
      service,
      ready: status.ready,
      phase: status.phase,
      ...(status.message !== undefined && { message: status.message }),
      pending_models: pending.map(({ name }) => name),
      ready_models: status.deployments.length - pending.length,
      total_models: status.deployments.length,
    },
    code,
    id,
  )
}
