// What both routes that keep something share: the store of the document's section, and whose things are whose.

import {
  isRtrError,
  type KeyValueStore,
  type OperationInput,
  type RouteHost,
  RtrError,
} from "../../../../kernel/index.ts"
import { type KeepingSettings, readSettings } from "./settings.ts"

export interface OpenKept {
  readonly settings: KeepingSettings
  readonly values: (name: string) => KeyValueStore
}

/** Undefined where the document says that nothing is kept. */
export async function openKept(host: RouteHost): Promise<OpenKept | undefined> {
  const settings = readSettings(host.settings)
  if (settings === undefined) return undefined
  const { type, configuration } = settings.store
  const opened = await host.openStore(type, configuration)
  const tell = teller(host)
  return {
    settings,
    values(name) {
      const values = opened.kv?.(name)
      if (values !== undefined) return withPublicErrors(values, tell)
      throw new RtrError("invalid_config", `Cannot keep responses: store "${type}" has no values by key`)
    },
  }
}

/** A store that stays away fails many requests for one reason. */
const againMs = 10_000

/** Where the store is and what is wrong with it is for the log; clients learn that they may try again. */
function teller(host: RouteHost): (error: unknown) => never {
  let last = { reason: "", at: -Infinity }
  return (error) => {
    if (!isRtrError(error) || error.code !== "unavailable") throw error
    const at = performance.now()
    if (error.message !== last.reason || at - last.at > againMs) {
      last = { reason: error.message, at }
      host.log("warning", "kept_responses_unavailable", { reason: error.message })
    }
    throw new RtrError("unavailable", "Cannot reach the store of kept responses now; try again later", { cause: error })
  }
}

const withPublicErrors = (values: KeyValueStore, tell: (error: unknown) => never): KeyValueStore => ({
  get: (key) => values.get(key).catch(tell),
  set: (key, value, options) => values.set(key, value, options).catch(tell),
  compareAndSet: (key, expected, value, options) => values.compareAndSet(key, expected, value, options).catch(tell),
  increment: (key, amount, options) => values.increment(key, amount, options).catch(tell),
  delete: (key) => values.delete(key).catch(tell),
  keys: (options) => values.keys(options).catch(tell),
})

/** The name of the API key. Where the listener asks for none, all clients are one. */
export const ownerOf = ({ principal: { key } }: Pick<OperationInput<unknown, unknown, unknown>, "principal">): string =>
  key === undefined ? "" : `key ${key}`

/** What a route has opened, or the error for a document without the section. */
export function keptOr404<Kept>(opened: unknown): Kept {
  if (opened !== undefined) return opened as Kept
  throw new RtrError(
    "not_found",
    "The router keeps no responses; global.services.response_api in its configuration switches that on",
  )
}
