// What the readiness of the process looks like to load balancers and operators.

import type { KernelStatus } from "../../kernel/index.ts"

/** How every operation about the process itself is listed. */
export const processOperation = {
  sensitivity: "operational",
  capability: "system",
  plane: "infrastructure",
  audiences: ["agent", "operator"],
  stability: "stable",
  errors: "management",
  needs: ["status"],
} as const

export function readinessBody({ phase, ready, message, deployments }: KernelStatus): {
  readonly phase: string
  readonly ready: boolean
  readonly message?: string
  readonly pending_models: readonly string[]
  readonly ready_models: number
  readonly total_models: number
} {
  const pending = deployments.filter((deployment) => !deployment.ready)
  return {
    phase,
    ready,
    ...(message !== undefined && { message }),
    pending_models: pending.map(({ name }) => name),
    ready_models: deployments.length - pending.length,
    total_models: deployments.length,
  }
}
