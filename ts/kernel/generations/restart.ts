// Changes that a running router cannot take up: its sockets are bound at the start. Loaded with the second document.

import type { DocumentPath } from "../error.ts"
import type { Problem } from "../schema/problem.ts"
import type { Bound, BoundListener } from "./bound.ts"

/** A problem for each change from `before` to `after` that needs a restart. Keys and model grants of listeners may change. */
export function restartRequired(before: Bound, after: Bound): readonly Problem[] {
  return [...changedListeners(before.listeners, after.listeners), ...changedServices(before, after)]
}

function changedListeners(before: readonly BoundListener[], after: readonly BoundListener[]): readonly Problem[] {
  const names = (listeners: readonly BoundListener[]): readonly string[] => listeners.map(({ name }) => name)
  const added = names(after).filter((name) => !names(before).includes(name))
  const removed = names(before).filter((name) => !names(after).includes(name))
  const changes = [...added.map((name) => `adds "${name}"`), ...removed.map((name) => `removes "${name}"`)]
  const kept = after.flatMap((listener, index) => {
    const old = before.find(({ name }) => name === listener.name)
    return old === undefined ? [] : changedListener(old, listener, ["listeners", index])
  })
  return changes.length === 0 ? kept : [restart(["listeners"], `${changes.join(" and ")}, which needs`), ...kept]
}

function changedListener(before: BoundListener, after: BoundListener, at: DocumentPath): readonly Problem[] {
  return [
    ...(before.address === after.address ? [] : [restart([...at, "address"])]),
    ...(before.port === after.port ? [] : [restart([...at, "port"])]),
    ...(before.timeoutMs === after.timeoutMs ? [] : [restart([...at, "timeout"])]),
  ]
}

function changedServices(before: Bound, after: Bound): readonly Problem[] {
  const services: DocumentPath = ["global", "services"]
  const [old, now] = [before.management, after.management]
  return [
    ...(old.address === now.address ? [] : [restart([...services, "management_api", "bind_address"])]),
    ...(old.port === now.port ? [] : [restart([...services, "management_api", "port"])]),
    ...(before.metricsEnabled === after.metricsEnabled
      ? []
      : [restart([...services, "observability", "metrics", "enabled"])]),
  ]
}

const restart = (path: DocumentPath, what = "has changed, which needs"): Problem => ({
  path,
  message: `${what} a restart`,
  code: "restart_required",
})
