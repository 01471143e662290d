// What both routes that keep something share: the store of the document's section, and whose things are whose.

import { type KeyValueStore, type OperationInput, type RouteHost, RtrError } from "../../../../kernel/index.ts"
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
  return {
    settings,
    values(name) {
      const values = opened.kv?.(name)
      if (values !== undefined) return values
      throw new RtrError("invalid_config", `Cannot keep responses: store "${type}" has no values by key`)
    },
  }
}

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
