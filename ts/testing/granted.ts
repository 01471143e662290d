// What modules are granted in contract suites.

import { RtrError } from "../kernel/index.ts"
import { createFakeStores } from "./fake-store.ts"

/**
 * Empty stores, a clock that stands still, chance without chance, a silent log, services that cannot be reached, and what a
 * suite is given beside them.
 */
export function grantedHost(more: object = {}): object {
  const http = { json: () => Promise.reject(new RtrError("upstream_unavailable", "Nobody is there")) }
  return { ...createFakeStores(), clock: () => 0, random: () => 0.5, log: () => {}, http, ...more }
}
