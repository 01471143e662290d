// What a module's setup or check throws names the module: whoever wrote the module has to find it in a document of many.

import { type DocumentPath, isRtrError, RtrError, secondsText } from "../error.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { ModuleKind } from "../types/module.ts"
import { withinTime } from "./within-time.ts"

export interface SetUpModule {
  readonly kind: ModuleKind
  readonly id: string
  /** Where it comes from: a file, a package, or `builtin`. */
  readonly source: string
}

/** No document becomes active before its modules are set up. Built-in modules have limits of their own for what they wait for. */
const setUpMs = 60_000

/**
 * Runs a setup. Rejects with an `RtrError` that names the module and has the message as the module wrote it, also when the setup of
 * a module that is not built in takes longer than 60 seconds.
 */
export async function setUp<Value>(module: SetUpModule, setup: () => MaybePromise<Value>): Promise<Value> {
  let made: Value
  try {
    made = await (module.source === "builtin" ? setup() : withinTime(Promise.resolve(setup()), setUpMs, setUpTooLate()))
  } catch (error) {
    throw namingModule(module, error)
  }
  return withItsFunction(module, made)
}

const setUpTooLate = (): RtrError =>
  new RtrError(
    "invalid_module",
    `its setup did not end within ${secondsText(setUpMs)}; it must return first and do longer work afterwards`,
  )

/** The same for a setup that is no promise. `secrets` are taken out of the message. */
export function setUpNow<Value>(module: SetUpModule, setup: () => Value, secrets: readonly string[] = []): Value {
  let made: Value
  try {
    made = setup()
  } catch (error) {
    throw namingModule(module, error, { secrets })
  }
  return withItsFunction(module, made)
}

/** What a setup has to return, by kind: without it every request would fail. */
const functionOf: Readonly<Partial<Record<ModuleKind, string>>> = {
  signal: "read",
  selector: "select",
  looper: "run",
  plugin: "open",
  provider: "toRequest",
  store: "close",
}

function withItsFunction<Value>({ kind, id, source }: SetUpModule, made: Value): Value {
  const name = functionOf[kind]
  if (
    name === undefined ||
    typeof (made as Readonly<Record<string, unknown>> | undefined | null)?.[name] === "function"
  )
    return made
  throw new RtrError(
    "invalid_module",
    `Cannot set up ${kind} "${id}" from ${source}: its setup must return an object with the function ${name}`,
  )
}

/** An error that names the module. Messages of built-in modules are written for the document's author, and name what has to change in it. */
export function namingModule(
  { kind, id, source }: SetUpModule,
  error: unknown,
  {
    action = "set up",
    path,
    secrets = [],
  }: { readonly action?: string; readonly path?: DocumentPath; readonly secrets?: readonly string[] } = {},
): unknown {
  const known = isRtrError(error)
  if (known && (source === "builtin" || error.message.includes(`${kind} "${id}"`))) return error
  const said = error instanceof Error ? (known ? error.message : `${error.name}: ${error.message}`) : String(error)
  const at = known ? undefined : positionOf(error)
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, "[removed]"), said)
  return new RtrError(
    known ? error.code : "invalid_module",
    `Cannot ${action} ${kind} "${id}" from ${source}: ${message}${at === undefined ? "" : ` (at ${at})`}`,
    {
      cause: error,
      ...(path !== undefined && { path }),
      ...(known && error.path !== undefined && { path: error.path }),
    },
  )
}

/** The first place of a stack that is a file. */
const positionOf = (error: unknown): string | undefined =>
  error instanceof Error
    ? /^\s+at .*?((?:file:\/\/)?\/[^\s()]+:\d+:\d+)\)?$/m.exec((error.stack ?? "").replace(error.message, ""))?.[1]
    : undefined
