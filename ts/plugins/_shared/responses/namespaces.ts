// Tools in namespaces. Elsewhere, and in the canonical form, they are tools whose names begin with that of their namespace.

import type { JsonValue, WireObject } from "../../../kernel/index.ts"
import { hasLength, isObject, isText, toList } from "../dialect/wire.ts"

/** One name for a tool and its namespace, in characters that every protocol takes. */
export const joinedName = (namespace: JsonValue | undefined, name: string): string =>
  hasLength(namespace) ? `${namespace}__${name}` : name

/** Name and namespace of the tools in namespaces, by their joined names. */
export type Namespaces = ReadonlyMap<string, WireObject>

const none: Namespaces = new Map()

/** Those of a request's body. */
export function namespacesOf(body: WireObject): Namespaces {
  const spaces = toList(body["tools"]).filter((tool): tool is WireObject => isNamespace(tool))
  if (spaces.length === 0) return none
  const named = spaces.flatMap(({ name: namespace, tools }) =>
    toList(tools).flatMap((tool): readonly [string, WireObject][] => {
      const name = isObject(tool) ? tool["name"] : undefined
      return isText(name) ? [[joinedName(namespace, name), { namespace: namespace as string, name }]] : []
    }),
  )
  return new Map(named)
}

export const isNamespace = (tool: JsonValue): boolean =>
  isObject(tool) && tool["type"] === "namespace" && hasLength(tool["name"]) && Array.isArray(tool["tools"])

/** The fields of a call that name its tool. */
export const calledFields = (name: string, namespaces: Namespaces = none): WireObject =>
  namespaces.get(name) ?? { name }
