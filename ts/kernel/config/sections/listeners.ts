// `listeners[]`: the addresses on which clients reach the router.

import { Type } from "typebox"
import { durationMs, isDuration } from "../../schema/duration.ts"
import { invalid, type Problem, suggestion } from "../../schema/problem.ts"
import { duration, emptyMeans, name, port, section } from "../../schema/shapes.ts"
import type { DocumentPath } from "../../error.ts"
import type { ApiKey, PlannedListener } from "../../types/plan.ts"
import { defaultDeployment } from "../bindings.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { checkKeys } from "../listeners/api-keys.ts"
import { duplicates } from "../duplicates.ts"
import { callableModels } from "./model-cards.ts"
import { autoNamesOf } from "./router.ts"

const namedKey = section({
  key: Type.String({ minLength: 1 }),
  name: Type.String({
    pattern: "^[\\w.@ -]{1,64}$",
    description: "up to 64 letters, digits, spaces and . _ @ -, such as search-team; logs have it and never the key",
  }),
})

export const listenersSchema = Type.Array(
  section({
    name,
    address: Type.String({ minLength: 1, description: "IP address or host name to bind" }),
    port,
    timeout: Type.Optional(duration),
    api_keys: Type.Optional(
      Type.Array(Type.Union([Type.String({ minLength: 1 }), namedKey]), {
        minItems: 1,
        [emptyMeans]: "is an empty list, which lets nobody in; leave the key out to let everybody in",
        description:
          "Any of these is accepted as bearer token; without the list the listener asks for none. One is the key itself, or a map with its name",
      }),
    ),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: "Model names that clients of this listener may ask for; without the list all",
      }),
    ),
    cors: Type.Optional(
      section({
        origins: Type.Array(Type.String({ minLength: 1 }), {
          minItems: 1,
          description: "Origins of web pages that may use this listener, such as https://chat.example.com; * for all",
        }),
      }),
    ),
  }),
  { description: "Public inference listeners" },
)

export type ListenerEntry = NonNullable<ConfigDocument["listeners"]>[number]

export const defaultTimeout = "300s"

/** The listener of a document that declares none. */
const defaultEntry: ListenerEntry = { name: "http-8801", address: "127.0.0.1", port: 8801 }

/** Listeners that a document means. */
export function listenersOf({ listeners = [] }: ConfigDocument): readonly ListenerEntry[] {
  return listeners.length === 0 ? [defaultEntry] : listeners
}

export function canonicalListener(listener: ListenerEntry): ListenerEntry {
  return { ...listener, timeout: listener.timeout ?? defaultTimeout }
}

/** `loopers` are names by which clients ask for loopers. */
export function checkListeners(document: ConfigDocument, loopers: readonly string[] = []): readonly Problem[] {
  const { listeners = [] } = document
  // Clients name deployments for embeddings.
  const deployments = [...Object.keys(document.global?.model_catalog?.deployments ?? {}), defaultDeployment.name]
  const virtual = (document.entrypoints ?? []).flatMap((entry) => entry.model_names)
  const known = new Set([...autoNamesOf(document), ...virtual, ...loopers, ...callableModels(document), ...deployments])
  const keyNames = listeners.map((listener) => apiKeysOf(listener).map((key) => key.name))
  // Port 0 is any free port, so that two of them do not meet.
  const addresses = listeners.map(({ address, port: number }) => (number === 0 ? undefined : `${address}:${number}`))
  return [
    ...duplicates(
      listeners.map((listener) => listener.name),
      (index) => ["listeners", index, "name"],
    ),
    ...duplicates(addresses, (index) => ["listeners", index, "port"]),
    ...listeners.flatMap(({ timeout = defaultTimeout }, index) =>
      isDuration(timeout) && durationMs(timeout) === 0
        ? [invalid(["listeners", index, "timeout"], "must be longer than 0s; leave it out for the default")]
        : [],
    ),
    ...listeners.flatMap(({ address }, index) => checkAddress(address, ["listeners", index, "address"])),
    ...listeners.flatMap(({ cors }, index) =>
      (cors?.origins ?? []).flatMap((origin, position) =>
        isOrigin(origin)
          ? []
          : [
              invalid(
                ["listeners", index, "cors", "origins", position],
                `${JSON.stringify(origin)} is not an origin; write scheme, host and port only, such as https://chat.example.com`,
              ),
            ],
      ),
    ),
    ...listeners.flatMap(({ models = [] }, index) =>
      models.flatMap((model, position) =>
        known.has(model)
          ? []
          : [
              invalid(
                ["listeners", index, "models", position],
                `"${model}" is neither a name of automatic routing nor in providers.models or global.model_catalog.deployments${suggestion(model, known)}`,
              ),
            ],
      ),
    ),
    ...listeners.flatMap(({ api_keys: keys = [] }, index) => checkKeys(keys, ["listeners", index, "api_keys"])),
    ...keyNames.flatMap((names, listener) =>
      duplicates(names, (index) => ["listeners", listener, "api_keys", index, "name"]),
    ),
  ]
}

/** Four numbers with dots are an IP address and no host name, so each has to be one byte. */
export function checkAddress(address: string, path: DocumentPath): readonly Problem[] {
  const isAddress = !/^[\d.]+$/.test(address) || /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(address)
  return isAddress ? [] : [invalid(path, `"${address}" is not an IP address; write four numbers from 0 to 255`)]
}

/** Browsers send origins in one spelling, which is compared as it is. */
const isOrigin = (origin: string): boolean =>
  origin === "*" || (URL.canParse(origin) && new URL(origin).origin === origin)

export function compileListener(
  listener: ListenerEntry,
  _index: number,
  all: readonly ListenerEntry[],
): PlannedListener {
  return {
    name: listener.name,
    address: listener.address,
    port: listener.port,
    timeoutMs: durationMs(listener.timeout ?? defaultTimeout),
    apiKeys: apiKeysOf(listener, all.length > 1 ? `${listener.name}/` : ""),
    models: listener.models === undefined ? undefined : new Set(listener.models),
    origins: new Set(listener.cors?.origins),
  }
}

/**
 * A key without a name is called by its position, because no part of a key may stand in a log. What is kept for a key is kept
 * under its name, so those of several listeners differ by `prefix`.
 */
function apiKeysOf({ api_keys: keys = [] }: ListenerEntry, prefix = ""): readonly ApiKey[] {
  return keys.map((entry, index) =>
    typeof entry === "string" ? { key: entry, name: `${prefix}key-${index + 1}` } : entry,
  )
}
