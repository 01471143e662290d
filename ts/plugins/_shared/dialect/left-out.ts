// Which fields of a client's body have no counterpart in the body that a backend of another dialect gets.

import type { DialectModule, JsonValue, WireObject } from "../../../kernel/index.ts"
import { bodyOrigin } from "./request-body.ts"
import { says } from "./wire.ts"

/** Whether a field still holds: it stands in the written body, or its value asks for what happens without it. */
export type Holds = (body: WireObject, value: JsonValue) => boolean

export type Fields = Readonly<Record<string, Holds>>

/** For a field that stands in one of these places of the written body. */
export const as =
  (...places: readonly string[]): Holds =>
  (body) =>
    places.some((place) => place in body)

/** For a field that goes on in other words, whatever it says, or that the router serves itself. */
export const always: Holds = () => true

/** For a field that needs no counterpart where it has this value. */
export const only =
  (value: JsonValue): Holds =>
  (_, given) =>
    given === value

export const either =
  (...ways: readonly Holds[]): Holds =>
  (body, value) =>
    ways.some((holds) => holds(body, value))

/** Fields that have the same name on both wires. */
export const same = (...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, as(name)]))

/**
 * `leftOut` of a dialect, with the fields of each client's dialect that can hold in its bodies. All others are left out, also
 * those that nobody knows.
 */
export function createLeftOut(clients: Readonly<Record<string, Fields>>): Exclude<DialectModule["leftOut"], undefined> {
  const known = new Map(Object.entries(clients).map(([id, fields]) => [id, new Map(Object.entries(fields))]))
  return (request, body) => {
    const id = request.origin?.dialect ?? ""
    const fields = known.get(id)
    const given = fields && bodyOrigin(request, id)?.original
    const names: string[] = []
    for (const name in given) {
      const value = given[name] as JsonValue
      if (fields?.get(name)?.(body, value) !== true && says(value)) names.push(name)
    }
    return names
  }
}
