// Which requests backends of other dialects can take.

import { type Block, type ChatRequest, type JsonValue, RtrError, type WireObject } from "../../../kernel/index.ts"
import { checkFields, type ExpectedFields, wrongValue } from "./expected-fields.ts"
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
  readonly fields: ExpectedFields
  readonly roles: readonly string[]
  /** Of nodes that others have too, by type: the field that makes one unreadable, if it is not the node itself, and what it must be. */
  readonly parts: Readonly<Record<string, readonly [field: string | undefined, right: string]>>
  /** The field that says which call a result answers, where `checkRequest` leaves that open, and whether a node lacks it. */
  readonly results?: { readonly callId: string; isLost(node: WireObject): boolean }
}

/** Throws `invalid_request` that names what is wrong, or what only the API has, but for its tools. `body` is what the client sent. */
export function checkPortable(
  { toolChoice, output, turns, extensions }: ChatRequest,
  body: WireObject,
  api: OwnApi,
): void {
  checkFields(body, api.fields)
  for (const name of api.services)
    if (isObject(extensions[name]) || toList(extensions[name]).length > 0)
      throw notPortable(api, name, "is a service of that API")
  if (isObject(toolChoice) && "opaque" in toolChoice)
    throw notPortable(api, "tool_choice", `${nameOf(toolChoice.opaque)} is a choice of that API`)
  if (output?.type === "opaque") throw notPortable(api, api.format, `${nameOf(output.value)} is a format of that API`)
  const conversation = body[api.conversation]
  for (const [index, { role, blocks }] of turns.entries()) {
    for (const block of withResults(blocks)) {
      if (block.type === "tool_result" && block.callId === "") checkResults(conversation, api)
      if (block.type === "opaque" && block.text === undefined)
        throw wrongNode(
          block.value,
          placeOf((node) => node === block.value, conversation, api.conversation) ?? `turns[${index}]`,
          api,
        )
    }
    if (role === "other") checkRoles(conversation, api)
  }
}

/** For a node that nobody else can read: it is not as it should be, or a thing of the API. */
function wrongNode(value: JsonValue, path: string, api: OwnApi): RtrError {
  const node = isObject(value) ? value : {}
  const type = isText(node["type"]) ? node["type"] : ""
  if (Object.hasOwn(api.parts, type)) {
    const [field, right] = api.parts[type] as OwnApi["parts"][string]
    return field === undefined ? wrongValue(path, value, right) : wrongValue(`${path}.${field}`, node[field], right)
  }
  const advice = api.instead !== undefined && Object.hasOwn(api.instead, type) ? api.instead[type] : ""
  return notPortable(api, path, `${nameOf(value)} is ${api.node} of that API${advice}`)
}

function checkResults(conversation: JsonValue | undefined, { conversation: at, results }: OwnApi): void {
  if (results === undefined) return
  let value: JsonValue | undefined
  const path = placeOf(
    (node) => {
      if (!isObject(node) || !results.isLost(node)) return false
      value = node[results.callId]
      return true
    },
    conversation,
    at,
  )
  if (path !== undefined) throw wrongValue(`${path}.${results.callId}`, value, "the id of a call")
}

function checkRoles(conversation: JsonValue | undefined, { conversation: at, roles }: OwnApi): void {
  const isWrong = (node: JsonValue): boolean => isObject(node) && isText(node["role"]) && !roles.includes(node["role"])
  const path = placeOf(isWrong, conversation, at)
  if (path !== undefined)
    throw wrongValue(`${path}.role`, "", `"${roles.join('", "')}"`.replace(/, (?="[^"]+"$)/, " or "))
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

/** Where the first of such values stands in a list of messages, items or blocks. */
export function placeOf(
  isWanted: (value: JsonValue) => boolean,
  list: JsonValue | undefined,
  at: string,
): string | undefined {
  for (const [index, value] of toList(list).entries()) {
    if (isWanted(value)) return `${at}[${index}]`
    for (const name of isObject(value) ? ["content", "output"] : []) {
      const path = placeOf(isWanted, (value as WireObject)[name], `${at}[${index}].${name}`)
      if (path !== undefined) return path
    }
  }
  return undefined
}
