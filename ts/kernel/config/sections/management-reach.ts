// Who reaches a management API that asks for no token. Hosts that open its address judge it; others have no such address.

import { isLoopback } from "../listeners/loopback.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { type Environment, readVariable } from "../environment.ts"

/** Says that only the operator reaches the management API, as in a container whose port is published on the loopback. */
export const internalListener = "RTR_MANAGEMENT_INTERNAL_LISTENER"

/** A problem; a warning where the document allows it, nothing where the environment does. */
export function checkReach({ global }: ConfigDocument, environment: Environment): readonly Problem[] {
  const management = global?.services?.management_api ?? {}
  const { bind_address: address = "localhost", remote_exposure: isExposed = false, auth } = management
  if (auth?.mode === "bearer" || isLoopback(address)) return []
  const path = ["global", "services", "management_api", "bind_address"]
  if (isExposed)
    return [
      {
        ...invalid(path, `lets everybody who reaches ${address} change the router; set auth.mode: bearer`),
        severity: "warning",
      },
    ]
  if (readVariable(environment, internalListener) === "true") return []
  return [
    invalid(
      path,
      `lets other machines change the router, got "${address}"; set auth.mode: bearer, or allow it with remote_exposure: true or the environment variable ${internalListener}=true`,
    ),
  ]
}
