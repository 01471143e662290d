// How many routers a request has passed. A backend that is a router, such as this one itself, counts on, so that no request goes
// around for ever.

import { RtrError } from "../../error.ts"
import type { Call } from "../../types/call.ts"

const header = "x-rtr-hops"

/** No chain of routers is meant to be longer. */
const maxHops = 5

/** Throws `loop_detected` for a request that has come through too many routers. */
export function hopHeader(call: Pick<Call, "header">): Readonly<Record<string, string>> {
  const sent = call.header(header)
  // No router wrote any other text.
  const hops = sent !== undefined && /^\d{1,6}$/.test(sent) ? Number(sent) : 0
  if (hops >= maxHops)
    throw new RtrError(
      "loop_detected",
      `The request has passed ${hops} routers; a backend in providers.models is the address of a router that sends it back`,
    )
  return { [header]: String(hops + 1) }
}
