// What a call is refused for.

import { isRtrError } from "rtr"

/** The error of a call, as `code: message`; undefined when there is none. What is no RtrError is a bug and thrown on. */
export function refusalOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (isRtrError(error)) return `${error.code}: ${error.message}`
    throw error
  }
}
