// What a router has bound at its start, by a document: sockets, their time-outs, and whether there are metrics.

import { durationMs } from "../schema/duration.ts"
import type { ConfigDocument } from "../config/document-schema.ts"
import { defaultTimeout, listenersOf } from "../config/sections/listeners.ts"
import { defaultAddress, defaultPort } from "../config/sections/management.ts"
import { compileMetricsEnabled } from "../config/sections/observability.ts"

export interface Bound {
  readonly listeners: readonly BoundListener[]
  readonly management: { readonly address: string; readonly port: number }
  readonly metricsEnabled: boolean
}

export interface BoundListener {
  readonly name: string
  readonly address: string
  readonly port: number
  readonly timeoutMs: number
}

export function boundBy(document: ConfigDocument): Bound {
  const { bind_address: address = defaultAddress, port = defaultPort } = document.global?.services?.management_api ?? {}
  return {
    listeners: listenersOf(document).map(({ timeout = defaultTimeout, ...listener }) => ({
      ...listener,
      timeoutMs: durationMs(timeout),
    })),
    management: { address, port },
    metricsEnabled: compileMetricsEnabled(document),
  }
}
