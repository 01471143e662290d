// GET /health and GET /ready: what load balancers ask.

import {
  defineRoute,
  type KernelStatus,
  type ListenerKind,
  literals,
  operation,
  type OperationReply,
  Type,
} from "../../kernel/index.ts"
import { processOperation, readinessBody } from "../_shared/process-readiness.ts"

const service = "rtr"

const readiness = Type.Object({
  status: literals(["ready", "starting", "not_ready"]),
  service: Type.Optional(Type.String()),
  ready: Type.Optional(Type.Boolean()),
  phase: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  pending_models: Type.Optional(Type.Array(Type.String())),
  ready_models: Type.Optional(Type.Integer()),
  total_models: Type.Optional(Type.Integer()),
})

export default defineRoute({
  about: "Liveness and readiness",
  listeners: ["inference", "management", "metrics"],
  operations: [
    operation({
      ...processOperation,
      id: "health.read",
      method: "GET",
      path: "/health",
      about: "Liveness: the process answers",
      permission: "health.read",
      sensitivity: "public",
      open: ["inference", "management", "metrics"],
      replies: {
        200: {
          about: "The process answers",
          schema: Type.Object({ status: literals(["ok", "healthy"]), service: Type.Optional(Type.String()) }),
        },
      },
      setup:
        () =>
        ({ listenerKind }) => ({
          body: listenerKind === "management" ? { status: "healthy", service } : { status: "ok" },
        }),
    }),
    operation({
      ...processOperation,
      id: "ready.read",
      method: "GET",
      path: "/ready",
      about:
        "Readiness: 503 until startup is complete and while draining; a model that is lost afterwards does not change it",
      permission: "ready.read",
      open: ["inference", "metrics"],
      replies: {
        200: { about: "Ready for traffic", schema: readiness },
        503: { about: "Starting, or draining", schema: readiness },
      },
      setup:
        ({ status }) =>
        ({ listenerKind }) =>
          ready(status(), listenerKind),
    }),
  ],
})

function ready(status: KernelStatus, listenerKind: ListenerKind): OperationReply {
  const code = status.ready ? 200 : 503
  if (listenerKind !== "management") return { status: code, body: { status: status.ready ? "ready" : "not_ready" } }
  return { status: code, body: { status: status.ready ? "ready" : "starting", service, ...readinessBody(status) } }
}
