// The input of a request as items with ids, and pages of them.

import { type JsonValue, RtrError, type WireObject } from "../../../../kernel/index.ts"
import { hasLength, isObject, isText, toList } from "../../dialect/wire.ts"
import { makeId } from "../wire.ts"
import { withoutThinker } from "./thoughts.ts"
import type { KeptResponse } from "./response-store.ts"

/** The items of an `input` that was checked. Each has an id, and a message has a list of parts. */
export function itemsOf(input: JsonValue | undefined): readonly WireObject[] {
  if (isText(input)) return [withId({ type: "message", role: "user", content: input })]
  return toList(input).flatMap((item) => (isObject(item) ? [withId(item)] : []))
}

const prefixes = { message: "msg", reasoning: "rs", function_call: "fc", custom_tool_call: "ctc" } as const

function withId(given: WireObject): WireObject {
  const item = withoutThinker(given)
  const { type = "message", id, content, role } = item
  const prefix = Object.hasOwn(prefixes, String(type)) ? prefixes[type as keyof typeof prefixes] : "item"
  const named = { ...item, type, id: hasLength(id) ? id : makeId(prefix) }
  if (type !== "message") return named
  const status = item["status"] ?? "completed"
  if (!isText(content)) return { ...named, status, content: content ?? [] }
  const part: WireObject =
    role === "assistant"
      ? { type: "output_text", annotations: [], text: content }
      : { type: "input_text", text: content }
  return { ...named, status, content: [part] }
}

export interface PageQuery {
  readonly after?: string | undefined
  readonly limit?: number | undefined
  readonly order?: "asc" | "desc" | undefined
}

/** One page of what a request brought, its instructions first. The last items come first when no order is given. */
export const pageOf = ({ input, response }: KeptResponse, query: PageQuery): WireObject =>
  pageOfItems([...instructionsOf(response), ...input], query)

export function pageOfItems(
  given: readonly WireObject[],
  { after, limit = 20, order = "desc" }: PageQuery,
): WireObject {
  const items = order === "desc" ? given.toReversed() : given
  const start = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0)
    throw new RtrError("invalid_request", 'Cannot list the items: "after" names none of them')
  const data = items.slice(start, start + limit).map(withoutThinker)
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: start + limit < items.length,
  }
}

function instructionsOf({ instructions, id }: WireObject): readonly WireObject[] {
  if (!hasLength(instructions)) return []
  const own = `msg_${String(id).replace(/^resp_/, "")}`
  const content = [{ type: "input_text", text: instructions }]
  return [{ id: own, type: "message", status: "completed", role: "system", content }]
}
