// Reads where a document says that its router listens. Nothing else is checked and no module is loaded: a client of a router
// needs only the way to it, and has to find it while the document is broken elsewhere.

import type { ConfigDocument } from "../config/document-schema.ts"
import { type Environment, expandEnvironment } from "../config/environment.ts"
import { listenersOf } from "../config/sections/listeners.ts"
import { defaultAddress, defaultPort } from "../config/sections/management.ts"
import { autoNamesOf } from "../config/sections/router.ts"
import { type DocumentPath, RtrError } from "../error.ts"
import { formatPath } from "../schema/problem.ts"
import { valueAt } from "../schema/value-at.ts"
import { readConfigFile } from "./load-config.ts"

export interface ReadAddress {
  /** Origin at which a client of this machine reaches it. */
  readonly url: string
  /** Where the document says so, such as `listeners[0]`. */
  readonly place: string
}

export interface ListenerKey {
  readonly key: string | undefined
  /** Without a key: a variable that one refers to and that is not set here. */
  readonly unset: string | undefined
}

export interface ListenerNames {
  /** The one name of automatic routing that clients of the listener may ask for; undefined where there are more, or none. */
  readonly onlyName: string | undefined
}

export interface ReadAddresses {
  /** The first listener, with one of its keys. Throws `invalid_config` for an address that leads nowhere, such as port 0. */
  listener(): ReadAddress & ListenerKey & ListenerNames
  /** The management API. Throws as above. */
  management(): ReadAddress
}

/** Throws an `RtrError` for a file that cannot be read or is no YAML. */
export async function readAddresses(path: string, environment: Environment = process.env): Promise<ReadAddresses> {
  const text = readConfigFile(path)
  const { readDocument } = await import("../config/document.ts")
  const { value, unset } = expandEnvironment(readDocument(text, path).value, environment)
  return {
    listener() {
      const written = valueAt(value, ["listeners"])
      const listeners = Array.isArray(written) ? written : []
      const [first] = listenersOf({ listeners } as Partial<ConfigDocument> as ConfigDocument)
      const { address, port, api_keys: keys, models } = (first ?? {}) as Readonly<Record<string, unknown>>
      const writtenKeys: readonly unknown[] = Array.isArray(keys) ? keys : []
      const key = writtenKeys.map(keyOf).find((each): each is string => typeof each === "string" && each !== "")
      const ofKeys = unset.find(
        ({ path: [list, index, name] }) => list === "listeners" && index === 0 && name === "api_keys",
      )
      return {
        ...addressOf(path, ["listeners", 0], ["address", address], port),
        key,
        unset: key === undefined ? ofKeys?.name : undefined,
        onlyName: onlyNameOf(value, models),
      }
    },
    management() {
      const place = ["global", "services", "management_api"]
      const { bind_address: address = defaultAddress, port = defaultPort } = (valueAt(value, place) ?? {}) as Readonly<
        Record<string, unknown>
      >
      return addressOf(path, place, ["bind_address", address], port)
    },
  }
}

function addressOf(
  file: string,
  place: DocumentPath,
  [key, address]: readonly [key: string, value: unknown],
  port: unknown,
): ReadAddress {
  const refuse = (at: string, wanted: string): never => {
    throw new RtrError("invalid_config", `Cannot tell from ${file} where the router listens: ${at} must be ${wanted}`, {
      path: [...place, at],
    })
  }
  // A token goes to no other machine, whatever a document says.
  const fits = (host: string): boolean =>
    key === "bind_address" ? ["127.0.0.1", "localhost", "::1", "0.0.0.0", "::"].includes(host) : host !== ""
  if (typeof address !== "string" || !fits(address)) return refuse(key, "an address of this machine")
  // Text from the environment stands for a number. Port 0 is any free one.
  if (!/^[1-9]\d{0,4}$/.test(String(port)) || Number(port) > 65535) return refuse("port", "a number from 1 to 65535")
  return { url: `http://${toHost(address)}:${String(port)}`, place: formatPath(place) }
}

/** Models of a listener may be named by anything: the document is not checked here. */
function onlyNameOf(document: unknown, models: unknown): string | undefined {
  if (!Array.isArray(models)) return undefined
  const written = valueAt(document, ["entrypoints"])
  const entrypoints: readonly unknown[] = Array.isArray(written) ? written : []
  const routed = new Set([
    ...automaticNames(document),
    ...entrypoints.flatMap((each) => textsIn(valueAt(each, ["model_names"]))),
  ])
  const [only, ...others] = textsIn(models).filter((each) => routed.has(each))
  return others.length === 0 ? only : undefined
}

function automaticNames(document: unknown): readonly string[] {
  const main = valueAt(document, ["global", "router", "auto_model_name"])
  const others = valueAt(document, ["global", "router", "auto_model_names"])
  const router = {
    ...(typeof main === "string" && { auto_model_name: main }),
    ...(Array.isArray(others) && { auto_model_names: [...textsIn(others)] }),
  }
  return autoNamesOf({ global: { router } } as Partial<ConfigDocument> as ConfigDocument)
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : []

/** An entry of `api_keys` is the key, or a map with its name. */
function keyOf(entry: unknown): unknown {
  return typeof entry === "object" && entry !== null ? (entry as { readonly key?: unknown }).key : entry
}

/** What is bound to every address is reached on the loopback. */
function toHost(address: string): string {
  if (address === "0.0.0.0" || address === "::") return "127.0.0.1"
  return address.includes(":") ? `[${address}]` : address
}
