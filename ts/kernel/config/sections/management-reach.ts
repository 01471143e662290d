// Who reaches a management API that asks for no token. Loads with a document that names its address.

import type { invalid, Problem } from "../../schema/problem.ts"

/** `problem` makes one; it is given, because a file that two parts import would become a chunk of its own on edge hosts. */
export function checkReach(
  management: { readonly bind_address?: string; readonly remote_exposure?: boolean },
  problem: typeof invalid,
): readonly Problem[] {
  const { bind_address: address = "localhost", remote_exposure: isExposed = false } = management
  if (/^(localhost|127(\.\d+){3}|::1)$/.test(address)) return []
  const found = (message: string): Problem => problem(["global", "services", "management_api", "bind_address"], message)
  return isExposed
    ? [
        {
          ...found(`lets everybody who reaches ${address} change the router; set auth.mode: bearer`),
          severity: "warning",
        },
      ]
    : [
        found(
          `lets other machines change the router, got "${address}"; set auth.mode: bearer, or remote_exposure: true to allow it`,
        ),
      ]
}
