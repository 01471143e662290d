// The router as the keeper of responses: what creates one, and what reads, continues, cancels and deletes it later.

import {
  type Call,
  type ChatRequest,
  isRtrError,
  type OperationInput,
  type OperationResult,
  type Outcome,
  type RouteHost,
  RtrError,
  type Thinker,
  type WireObject,
} from "../../../../kernel/index.ts"
import { badRequest } from "../../dialect/refusals.ts"
import { isObject, isText, toList } from "../../dialect/wire.ts"
import { responseOf } from "../output.ts"
import { bodyOf } from "../request.ts"
import { dialectId, isReference, makeId } from "../wire.ts"
import { createBackground } from "./background.ts"
import { bytesOfHistory, type ChainOptions, readHistory, toHistory, toInput } from "./chain.ts"
import { createConversationStore } from "./conversation-store.ts"
import { itemsOf, type PageQuery, pageOf } from "./input-items.ts"
import { createJobs } from "./jobs.ts"
import { replayEvents } from "./replay-events.ts"
import { createReferences } from "./references.ts"
import { createReplyFilter } from "./reply-filter.ts"
import { thinkerOf, withThinker } from "./thoughts.ts"
import { openKept, ownerOf } from "./open-kept.ts"
import { createResponseStore, type FoundResponse, noResponse } from "./response-store.ts"

export interface CreateHost {
  readonly run: (call: Call) => Promise<Outcome>
  readonly readChat: (dialect: string, body: unknown) => ChatRequest
}
type Input = Pick<OperationInput<unknown, unknown, unknown>, "id" | "chat" | "call" | "principal" | "retain" | "hold">
/** Who asks. */
type Asker = Pick<Input, "principal">

export interface KeptResponses {
  create(input: Input, host: CreateHost): Promise<OperationResult>
  read(id: string, asker: Asker): Promise<WireObject>
  /** The events of one that has ended. */
  replay(id: string, asker: Asker, startingAfter?: number): Promise<string>
  inputItems(id: string, asker: Asker, query: PageQuery): Promise<WireObject>
  cancel(id: string, asker: Asker): Promise<WireObject>
  remove(id: string, asker: Asker): Promise<WireObject>
}

/** Undefined where the document says that nothing is kept. */
export async function keepResponses(host: RouteHost): Promise<KeptResponses | undefined> {
  const opened = await openKept(host)
  if (opened === undefined) return undefined
  const { settings, values } = opened
  const conversations = createConversationStore(values("conversations"), { ...settings, clock: host.clock })
  const jobs = await host.share("jobs", createJobs)
  const store = createResponseStore(values("responses"), settings)
  const references = createReferences(values("responses.items"), { store, ttlMs: settings.ttlMs })
  const onLost = (reason: string): void => host.log("warning", "response_not_kept", { reason })
  const background = createBackground({
    store,
    jobs,
    running: values("responses.running"),
    onLost,
    onBug: (error, requestId) =>
      host.log("error", "background_failed", {
        request_id: requestId,
        error: error instanceof Error ? error.constructor.name : typeof error,
      }),
  })

  const find = async (id: string, asker: Asker): Promise<FoundResponse> => {
    const found = await store.find(id, ownerOf(asker))
    if (found === undefined) throw noResponse(id)
    return found
  }
  const read = async (id: string, asker: Asker): Promise<WireObject> => background.current(await find(id, asker))

  /** What was said before; undefined where nothing is continued. */
  const historyOf = async (
    { session: { previousResponseId: previous, conversation } }: ChatRequest,
    options: ChainOptions,
  ): Promise<readonly WireObject[] | undefined> => {
    if (previous !== undefined) return readHistory(store, previous, options)
    if (conversation === undefined) return undefined
    const { items, size } = await conversations.find(conversation, options.owner)
    options.hold(bytesOfHistory(size))
    return toHistory(items)
  }

  return {
    async create(input, { run, readChat }) {
      const { chat } = input
      const body = bodyOf(chat)
      const inBackground = body["background"] === true
      const stores = chat.session.store !== false
      checkCreate(chat, body, { inBackground, stores })
      const owner = ownerOf(input)
      const given = itemsOf(body["input"])
      const referred = await references.find(owner, given, input.hold)
      const items = given.map((item) => (isReference(item) ? (referred.get(String(item["id"])) ?? item) : item))
      if (stores) store.checkInput(items)
      const { previousResponseId: previous, conversation } = chat.session
      const history = await historyOf(chat, { owner, truncate: body["truncation"] === "auto", hold: input.hold })
      const call = input.call(
        history === undefined && referred.size === 0 && !inBackground
          ? chat
          : readChat(dialectId, withoutKeeping(body, { history, referred })),
      )
      const id = makeId("resp")
      const own: WireObject = {
        id,
        previous_response_id: previous ?? null,
        store: stores,
        ...(conversation !== undefined && { conversation: { id: conversation } }),
      }
      /** What was said can be referred to, and the conversation goes on with it. */
      const goOn = async ({ status, output }: WireObject, thoughtBy?: Thinker): Promise<void> => {
        if (status !== "completed" && status !== "incomplete") return
        const said = toList(output).filter(isObject)
        await references.add(owner, id, said)
        if (conversation === undefined) return
        const more = [...items, ...said.map((item) => withThinker(item, thoughtBy))]
        await conversations.change(conversation, owner, (kept) => ({ items: [...kept.items, ...more] }), input.hold)
      }
      if (inBackground) {
        const head = { id, model: chat.model, created: Math.floor(host.clock() / 1000) }
        const response = { ...responseOf(head, chat), ...own, status: "queued" }
        await background.start({ kept: { owner, response, input: items }, call, run, retain: input.retain, goOn })
        return { body: response }
      }
      const outcome = await run(call)
      const thoughtBy = thinkerOf(outcome)
      const keep = async (response: WireObject): Promise<boolean> => {
        try {
          await goOn(response, thoughtBy)
          const whole = { metadata: body["metadata"] ?? {}, ...response }
          await store.add({ owner, response: whole, input: items, thoughtBy })
          return true
        } catch (error) {
          onLost(isRtrError(error) ? error.code : "internal_error")
          return false
        }
      }
      return { outcome, filter: createReplyFilter({ own, ...(stores && { keep }) }) }
    },
    read,
    async replay(id, asker, startingAfter) {
      const response = await read(id, asker)
      if (response["status"] === "queued" || response["status"] === "in_progress")
        throw new RtrError(
          "invalid_request",
          "Cannot stream the response: it has not ended; read it without a stream until its status is another",
        )
      return replayEvents(response, startingAfter)
    },
    inputItems: async (id, asker, query) => pageOf(await find(id, asker), query),
    async cancel(id, asker) {
      const found = await find(id, asker)
      if (found.response["background"] !== true)
        throw new RtrError("invalid_request", 'Cannot cancel the response: it was not made with "background": true')
      return background.cancel(found)
    },
    async remove(id, asker) {
      if (!(await store.remove(id, ownerOf(asker)))) throw noResponse(id)
      jobs.stop(id)
      return { id, object: "response.deleted", deleted: true }
    },
  }
}

/** Throws `invalid_request` for what the router does not keep, and for what it could not understand. */
function checkCreate(
  { stream }: ChatRequest,
  body: WireObject,
  { inBackground, stores }: { readonly inBackground: boolean; readonly stores: boolean },
): void {
  const { conversation = null, previous_response_id: previous = null, background = null, store = null } = body
  if (previous !== null && !isText(previous)) throw badRequest('"previous_response_id" must be a string')
  if (conversation !== null && !isText(isObject(conversation) ? conversation["id"] : conversation))
    throw badRequest('"conversation" must be an id, or an object with one')
  if (conversation !== null && previous !== null)
    throw badRequest('"conversation" and "previous_response_id" do not go together')
  if (conversation !== null && !stores) throw badRequest('"conversation" needs a kept response, and "store" is false')
  if (background !== null && typeof background !== "boolean") throw badRequest('"background" must be true or false')
  if (store !== null && typeof store !== "boolean") throw badRequest('"store" must be true or false')
  if (!inBackground) return
  if (!stores) throw badRequest('"background" needs a kept response, and "store" is false')
  if (stream) throw badRequest('"background" and "stream" do not go together; read the response until it has ended')
}

interface Kept {
  readonly history: readonly WireObject[] | undefined
  /** Items by their ids. */
  readonly referred: ReadonlyMap<string, WireObject>
}

/** The body for backends, which know nothing of what is kept here. */
function withoutKeeping(asked: WireObject, { history = [], referred }: Kept): WireObject {
  const { previous_response_id: _previous, conversation: _conversation, background: _background, ...body } = asked
  const { input } = body
  if (history.length === 0 && referred.size === 0) return body
  const added =
    typeof input === "string"
      ? [{ type: "message", role: "user", content: input }]
      : ((input ?? []) as WireObject[]).flatMap((item) =>
          isReference(item) ? toInput(referred.get(String(item["id"])) ?? item) : [item],
        )
  return { ...body, input: [...history, ...added] }
}
