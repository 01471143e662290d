// What the log says about errors that are bugs: of a module with its name and hook, otherwise of the request that it ended.

import type { Logger } from "./logger.ts"
import { toldError, type ToldError } from "./safe-message.ts"
import { throttled } from "./throttled.ts"

export interface ErrorLog {
  /** `about` is the kind and the id of a module where there is a hook, and the request id otherwise. */
  readonly onInternalError: (error: unknown, about: string, hook?: string) => void
  /** Writes at once what ends the process, behind what waits. */
  onCrash(error: unknown): void
  end(): void
}

interface Bug {
  readonly about: string
  readonly hook: string | undefined
  readonly error: ToldError
}

export function createErrorLog(logger: Pick<Logger, "event">): ErrorLog {
  const write = ({ about, hook, error: { name, message, at, stack } }: Bug, times: number): void => {
    const [kind, ...id] = about.split(" ")
    logger.event("error", hook === undefined ? "internal_error" : "module_error", {
      ...(hook === undefined ? { request_id: about } : { kind, module: id.join(" "), hook }),
      name,
      message,
      ...(at !== undefined && { at }),
      ...(times > 1 && { times }),
      stack,
    })
  }
  const tell = throttled<Bug>(write)
  return {
    onInternalError(error, about, hook) {
      const told = toldError(error)
      tell(`${hook === undefined ? "" : about} ${hook} ${told.name} ${told.at}`, { about, hook, error: told })
    },
    onCrash(error) {
      tell.end()
      write({ about: "unknown", hook: undefined, error: toldError(error) }, 1)
    },
    end: tell.end,
  }
}
