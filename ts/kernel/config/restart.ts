// Changes that a running router cannot take up: its sockets are bound at the start.

import type { DocumentPath } from "../error.ts"
import { durationMs } from "../schema/duration.ts"
import type { Problem } from "../schema/problem.ts"
import type { ConfigDocument } from "./document-schema.ts"
import { defaultTimeout, type ListenerEntry, listenersOf } from "./sections/listeners.ts"
import { defaultAddress, defaultPort } from "./sections/management.ts"
import { compileMetricsEnabled } from "./sections/observability.ts"

/** A problem for each change from `before` to `after` that needs a restart. Keys and model grants of listeners may change. */
export function restartRequired(before: ConfigDocument, after: ConfigDocument): readonly Problem[] {
  return [...changedListeners(listenersOf(before), listenersOf(after)), ...changedServices(before, after)]
}

function changedListeners(before: readonly ListenerEntry[], after: readonly ListenerEntry[]): readonly Problem[] {
  const names = (listeners: readonly ListenerEntry[]): readonly string[] => listeners.map(({ name }) => name)
  const added = names(after).filter((name) => !names(before).includes(name))
  const removed = names(before).filter((name) => !names(after).includes(name))
  const changes = [...added.map((name) => `adds "${name}"`), ...removed.map((name) => `removes "${name}"`)]
  const kept = after.flatMap((listener, index) => {
    const old = before.find(({ name }) => name === listener.name)
    return old === undefined ? [] : changedListener(old, listener, ["listeners", index])
  })
  return changes.length === 0 ? kept : [restart(["listeners"], `${changes.join(" and ")}, which needs`), ...kept]
}

function changedListener(before: ListenerEntry, after: ListenerEntry, at: DocumentPath): readonly Problem[] {
  const timeout = ({ timeout: text = defaultTimeout }: ListenerEntry): number => durationMs(text)
  return [
    ...(before.address === after.address ? [] : [restart([...at, "address"])]),
    ...(before.port === after.port ? [] : [restart([...at, "port"])]),
    ...(timeout(before) === timeout(after) ? [] : [restart([...at, "timeout"])]),
  ]
}

function changedServices(before: ConfigDocument, after: ConfigDocument): readonly Problem[] {
  const services: DocumentPath = ["global", "services"]
  const managementOf = ({ global }: ConfigDocument): { readonly address: string; readonly port: number } => ({
    address: global?.services?.management_api?.bind_address ?? defaultAddress,
    port: global?.services?.management_api?.port ?? defaultPort,
  })
  const [old, now] = [managementOf(before), managementOf(after)]
  return [
    ...(old.address === now.address ? [] : [restart([...services, "management_api", "bind_address"])]),
    ...(old.port === now.port ? [] : [restart([...services, "management_api", "port"])]),
    ...(compileMetricsEnabled(before) === compileMetricsEnabled(after)
      ? []
      : [restart([...services, "observability", "metrics", "enabled"])]),
  ]
}

const restart = (path: DocumentPath, what = "has changed, which needs"): Problem => ({
  path,
  message: `${what} a restart`,
  code: "restart_required",
})
