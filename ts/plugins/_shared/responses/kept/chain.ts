// The conversation that leads to a new request: inputs and outputs of the responses before it.

import { RtrError, type WireObject } from "../../../../kernel/index.ts"
import { isObject, isText, toList } from "../../dialect/wire.ts"
import { toThought, withThinker } from "./thoughts.ts"
import { noResponse, type ResponseStore } from "./response-store.ts"

/** A conversation can be as long as its clients like; this is what one request may add to the memory and to the work of guards. */
const maxResponses = 1000
export const maxHistoryBytes = 8 * 2 ** 20
/** Stores may work on the event loop; everything else has its turn after so many responses. */
const readInOneTurn = 20

export interface ChainOptions {
  readonly owner: string
  /** Leaves out the oldest responses of a chain that is too long. */
  readonly truncate: boolean
  /** Counts the memory of each response before the next one is read. */
  readonly hold: (bytes: number) => void
}

/** The texts of a history, and what is read from them. */
export const bytesOfHistory = (size: number): number => 2 * size

/**
 * Everything that was said up to and with this response. Throws `not_found` when one of the responses is not there for the
 * owner, and `context_length_exceeded` for a chain that is too long.
 */
export async function readHistory(
  store: ResponseStore,
  id: string,
  { owner, truncate, hold }: ChainOptions,
): Promise<readonly WireObject[]> {
  const responses: (readonly WireObject[])[] = []
  let bytes = 0
  for (let next: string | undefined = id; next !== undefined;) {
    const found = await store.find(next, owner)
    if (found === undefined) throw noResponse(next, "continue")
    const { response, input, size, thoughtBy } = found
    if (next === id) checkEnded(response)
    if (responses.length === maxResponses || bytes + size > maxHistoryBytes) {
      if (truncate) break
      throw new RtrError(
        "context_length_exceeded",
        `Cannot continue the response: its conversation has more than ${maxResponses} responses or ${maxHistoryBytes} bytes; send "truncation": "auto" to leave out the oldest, or begin a new one`,
      )
    }
    hold(bytesOfHistory(size))
    bytes += size
    const output = toList(response["output"]).filter(isObject)
    responses.push([...input, ...output.map((item) => withThinker(item, thoughtBy))])
    const before: unknown = response["previous_response_id"]
    next = isText(before) ? before : undefined
    if (responses.length % readInOneTurn === 0) await new Promise((resolve) => setTimeout(resolve))
  }
  return toHistory(responses.toReversed().flat())
}

/** Items as they stand before a new input. */
export const toHistory = (items: readonly WireObject[]): readonly WireObject[] => withoutOrphans(items.flatMap(toInput))

function checkEnded({ status }: WireObject): void {
  if (status === "completed" || status === "incomplete") return
  throw new RtrError(
    "invalid_request",
    `Cannot continue the response: its status is "${String(status)}", and only one that is completed or incomplete can be continued`,
  )
}

/**
 * An item as a backend takes it that never saw it: without its id and without log probabilities. Reasoning keeps its id: who thought
 * it knows it.
 */
export function toInput(item: WireObject): readonly WireObject[] {
  if (item["type"] === "reasoning") return toThought(item)
  if (item["type"] !== "message") return [without(item, "id")]
  const content = toList(item["content"]).map((part) => (isObject(part) ? without(part, "logprobs") : part))
  return [{ ...without(item, "id", "status"), content }]
}

const without = (object: WireObject, ...names: readonly string[]): WireObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))

/** Without results whose calls were left out: no backend takes them. */
function withoutOrphans(items: readonly WireObject[]): readonly WireObject[] {
  const called = new Set<unknown>()
  return items.filter(({ type, call_id: callId }) => {
    if (!isText(type) || callId === undefined) return true
    if (!type.endsWith("_output")) called.add(callId)
    return !type.endsWith("_output") || called.has(callId)
  })
}
