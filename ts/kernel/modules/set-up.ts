// What a module's setup throws names the module: whoever wrote the module has to find it in a document of many.

import { isRtrError, RtrError } from "../error.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { ModuleKind } from "../types/module.ts"

export interface SetUpModule {
  readonly kind: ModuleKind
  readonly id: string
  /** Where it comes from: a file, a package, or `builtin`. */
  readonly source: string
}

/** Runs a setup. Rejects with an `RtrError` that names the module and has the message as the module wrote it. */
export async function setUp<Value>(module: SetUpModule, setup: () => MaybePromise<Value>): Promise<Value> {
  try {
    return await setup()
  } catch (error) {
    throw setupError(module, error)
  }
}

/** The same for a setup that is no promise. `secrets` are taken out of the message. */
export function setUpNow<Value>(module: SetUpModule, setup: () => Value, secrets: readonly string[] = []): Value {
  try {
    return setup()
  } catch (error) {
    throw setupError(module, error, secrets)
  }
}

/** Messages of built-in modules are written for the document's author, and name what has to change in it. */
function setupError({ kind, id, source }: SetUpModule, error: unknown, secrets: readonly string[] = []): unknown {
  const known = isRtrError(error)
  if (known && (source === "builtin" || error.message.includes(`${kind} "${id}"`))) return error
  const said = error instanceof Error ? (known ? error.message : `${error.name}: ${error.message}`) : String(error)
  const at = known ? undefined : positionOf(error)
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "[removed]"), said)
  return new RtrError(
    known ? error.code : "invalid_module",
    `Cannot set up ${kind} "${id}" from ${source}: ${message}${at === undefined ? "" : ` (at ${at})`}`,
    { cause: error, ...(known && error.path !== undefined && { path: error.path }) },
  )
}

/** The first place of a stack that is a file. */
const positionOf = (error: unknown): string | undefined =>
  error instanceof Error
    ? /^\s+at .*?((?:file:\/\/)?\/[^\s()]+:\d+:\d+)\)?$/m.exec((error.stack ?? "").replace(error.message, ""))?.[1]
    : undefined
