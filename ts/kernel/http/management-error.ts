// Errors of the management API that have a code of their own there.

import { type ErrorCode, RtrError } from "../error.ts"

/** An error with a code and a status of the management API, such as `CONFIG_CHANGED` with 412. */
export class ManagementError extends RtrError {
  readonly managementCode: string
  readonly #status: number

  constructor(status: number, managementCode: string, message: string) {
    super(nearestCode(status), message)
    this.managementCode = managementCode
    this.#status = status
  }

  override get status(): number {
    return this.#status
  }
}

/** The code that other surfaces and logs see. */
function nearestCode(status: number): ErrorCode {
  const named: Readonly<Record<number, ErrorCode>> = {
    401: "invalid_api_key",
    404: "not_found",
    429: "overloaded",
    503: "unavailable",
    504: "deadline_exceeded",
  }
  return named[status] ?? (status < 500 ? "invalid_request" : "internal_error")
}

/** Reads the management code of an error, which an outside module may have made with its own copy of the class. */
export function managementCodeOf(error: RtrError): string | undefined {
  const code = (error as { readonly managementCode?: unknown }).managementCode
  return typeof code === "string" ? code : undefined
}
