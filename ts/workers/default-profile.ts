// The profile of a deployment that names none: how far its answers may leave 32-bit arithmetic.

import type { NeededDeployment } from "../kernel/runtime/node.ts"

/** What `--runtime-profile` may ask for. */
const runtimeProfiles = ["exact", "max_speed"] as const
export type RuntimeProfile = (typeof runtimeProfiles)[number]

/** Built-in packages that lose at most 0.3 points under `max_speed`; `bench:accuracy -- --profile` measures it. */
const fast: ReadonlySet<string | undefined> = new Set(["guard", "signals"])

/** The deployment with its profile. `asked` is for all that name none. */
export function withProfile(deployment: NeededDeployment, asked?: RuntimeProfile): NeededDeployment {
  const { profile, artifact, endpoint } = deployment
  if (profile !== undefined || endpoint !== undefined) return deployment
  return { ...deployment, profile: asked ?? (fast.has(artifact) ? "max_speed" : "exact") }
}
