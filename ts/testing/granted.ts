// What modules are granted in contract suites.

import { createFakeStores } from "./fake-store.ts"

/** Empty stores, a clock that stands still, chance without chance, a silent log, and what a suite is given beside them. */
export function grantedHost(more: object = {}): object {
  return { ...createFakeStores(), clock: () => 0, random: () => 0.5, log: () => {}, ...more }
}
