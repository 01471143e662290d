// Which requests backends of other dialects can take.

import { type Block, type ChatRequest, type JsonValue, RtrError, type WireObject } from "../../../kernel/index.ts"
import { isObject, isText, toList } from "./wire.ts"

/** What only one API has. */
export interface OwnApi {
  readonly name: string
  /** Fields that are services of it. */
  readonly services: readonly string[]
  /** The field of the output's format. */
  readonly format: string
  /** The field of the conversation, and what that consists of. */
  readonly conversation: string
  readonly node: string
  /** What clients can send in the place of a node, by the type of that. */
  readonly instead?: Readonly<Record<string, string>>
}

/** Throws `invalid_request` that names what only the API has, but for its tools. `body` is what the client sent. */
export function checkPortable(
  { toolChoice, output, turns, extensions }: ChatRequest,
  body: WireObject,
  api: OwnApi,
): void {
  for (const name of api.services)
    if (isObject(extensions[name]) || toList(extensions[name]).length > 0)
      throw notPortable(api, name, "is a service of that API")
  if (isObject(toolChoice) && "opaque" in toolChoice)
    throw notPortable(api, "tool_choice", `${nameOf(toolChoice.opaque)} is a choice of that API`)
  if (output?.type === "opaque") throw notPortable(api, api.format, `${nameOf(output.value)} is a format of that API`)
  for (const [index, { blocks }] of turns.entries())
    for (const block of withResults(blocks))
      if (block.type === "opaque" && block.text === undefined) {
        const path = pathOf(block.value, body[api.conversation], api.conversation) ?? `turns[${index}]`
        const { type } = isObject(block.value) ? block.value : {}
        const advice = isText(type) ? api.instead?.[type] : undefined
        throw notPortable(api, path, `${nameOf(block.value)} is ${api.node} of that API${advice ?? ""}`)
      }
}

/**
 * The request without searches that the backend's vendor made for an earlier answer, which stands behind them with its citations.
 * `isOver` gets blocks that only the API knows.
 */
export const withoutSearches = (
  request: ChatRequest,
  isOver: (value: WireObject, blocks: readonly Block[]) => boolean,
): ChatRequest =>
  withoutBlocks(
    request,
    (block, blocks) => block.type === "opaque" && isObject(block.value) && isOver(block.value, blocks),
  )

/** The request without some blocks, and without turns that have none then. The same request where there is none of them. */
export function withoutBlocks(
  request: ChatRequest,
  isLeftOut: (block: Block, blocks: readonly Block[]) => boolean,
): ChatRequest {
  let found = false
  const turns = request.turns.flatMap((turn) => {
    const blocks = turn.blocks.filter((block) => !isLeftOut(block, turn.blocks))
    if (blocks.length === turn.blocks.length) return [turn]
    found = true
    return blocks.length === 0 ? [] : [{ ...turn, blocks }]
  })
  return found ? { ...request, turns } : request
}

export const notPortable = ({ name }: OwnApi, path: string, reason: string): RtrError =>
  new RtrError(
    "invalid_request",
    `Cannot send the request to the model's backend, which does not speak the ${name} API: "${path}" has no counterpart there; ${reason}`,
  )

/** The blocks of a turn with those in results of tools. */
const withResults = (blocks: readonly Block[]): readonly Block[] =>
  blocks.flatMap((block) => (block.type === "tool_result" ? [block, ...block.blocks] : [block]))

/** The type of what a client sent. */
const nameOf = (value: JsonValue): string =>
  `"${isObject(value) && isText(value["type"]) ? value["type"] : String(value)}"`

/** Where a value stands in a list of messages, items or blocks. */
function pathOf(wanted: JsonValue, list: JsonValue | undefined, at: string): string | undefined {
  for (const [index, value] of toList(list).entries()) {
    if (value === wanted) return `${at}[${index}]`
    for (const name of isObject(value) ? ["content", "output"] : []) {
      const path = pathOf(wanted, (value as WireObject)[name], `${at}[${index}].${name}`)
      if (path !== undefined) return path
    }
  }
  return undefined
}
