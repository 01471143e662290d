// Route modules become operations with handlers, and a list that describes them.

import { RtrError } from "../error.ts"
import { grantSetup, type Services } from "../modules/capabilities.ts"
import { setUpNow } from "../modules/set-up.ts"
import type { RegisteredModule } from "../types/module.ts"
import type { ListenerKind, OperationInfo, OperationInput, OperationResult, RouteModule } from "../types/route.ts"
import type { MaybePromise } from "../types/module-base.ts"

/** One operation with its handler. */
export interface MountedOperation extends OperationInfo {
  // The types of its input are known inside the route's own file only.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly handle: (input: OperationInput<any, any, any>) => MaybePromise<OperationResult>
}

type Routes = readonly RegisteredModule<RouteModule>[]

/** What there is to tell of the operations of all routes, in the order of registration. */
export function listOperations(routes: Routes): readonly OperationInfo[] {
  return routes.flatMap(({ module }) => module.operations.map((operation) => toInfo(operation, module.listeners)))
}

/** Sets up the operations that listeners of one kind serve. Throws `invalid_module` for a handler that is no function. */
export function mountOperations(routes: Routes, kind: ListenerKind, services: Services): readonly MountedOperation[] {
  return routes
    .filter(({ module }) => module.listeners.includes(kind))
    .flatMap(({ id, module, source }) =>
      module.operations.map((operation) => {
        const granted = grantSetup(operation.needs ?? [], services, { name: `route:${id}` })
        const handle = setUpNow({ kind: "route", id, source }, () =>
          operation.setup(granted as never, services.opened?.get(id)),
        )
        if (typeof handle !== "function")
          throw new RtrError(
            "invalid_module",
            `Cannot mount operation ${operation.id}: its setup must return a function`,
          )
        return { ...toInfo(operation, module.listeners), handle }
      }),
    )
}

function toInfo(operation: RouteModule["operations"][number], listeners: readonly ListenerKind[]): OperationInfo {
  const { setup: _, needs: __, ...info } = operation
  return { ...info, listeners }
}
