// Which names a listener on the loopback answers to.

import type { RtrError } from "../error.ts"
import type { ListenerApp } from "../http/app.ts"
import { errorResponse } from "../http/error-body.ts"
import { ManagementError } from "../http/management-error.ts"
import { requestIdOf } from "../http/request-id.ts"
import type { UnroutedRequest } from "../types/route.ts"

export interface LocalNamesOptions {
  readonly toBody: (error: RtrError, requestId: string) => object
  readonly hasKeys?: () => boolean
  readonly onRefused?: (request: Pick<UnroutedRequest, "id" | "method" | "status" | "error">) => void
}

/**
 * Refuses requests to a name other than `localhost`, unless the listener has keys. A web page can make its own name point at
 * this machine (DNS rebinding), and the browser then treats this router as a part of that page; keys it does not have.
 */
export function onlyLocalNames(app: ListenerApp, options: LocalNamesOptions): ListenerApp {
  const { toBody, hasKeys = () => false, onRefused } = options
  return {
    fetch(request) {
      if (isLocalName(request.headers.get("host") ?? "") || hasKeys()) return app.fetch(request)
      const message =
        "This port answers to localhost and to IP addresses only; a proxy in front of it has to send such a Host header"
      const error = new ManagementError(421, "MISDIRECTED_REQUEST", message)
      const requestId = requestIdOf(request.headers)
      onRefused?.({ id: requestId, method: request.method, status: error.status, error: error.code })
      return errorResponse(error, toBody(error, requestId), { requestId })
    },
  }
}

const isLocalName = (host: string): boolean => /^(localhost|[\d.]+|\[[\da-f:.]+\])?(:\d+)?$/i.test(host)
