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
  type WireObject,
} from "../../../../kernel/index.ts"
import { badRequest } from "../../dialect/refusals.ts"
import { isText } from "../../dialect/wire.ts"
import { responseOf } from "../output.ts"
import { bodyOf } from "../request.ts"
import { dialectId, makeId } from "../wire.ts"
import { createBackground } from "./background.ts"
import { readHistory } from "./chain.ts"
import { itemsOf, type PageQuery, pageOf } from "./input-items.ts"
import { createJobs } from "./jobs.ts"
import { replayEvents } from "./replay-events.ts"
import { createReplyFilter } from "./reply-filter.ts"
import { createResponseStore, type FoundResponse, noResponse } from "./response-store.ts"
import { readSettings } from "./settings.ts"

export interface CreateHost {
  readonly run: (call: Call) => Promise<Outcome>
  readonly readChat: (dialect: string, body: unknown) => ChatRequest
}
type Input = Pick<OperationInput<unknown, unknown, unknown>, "id" | "chat" | "call" | "principal" | "retain">
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
  const settings = readSettings(host.settings)
  if (settings === undefined) return undefined
  const opened = await host.openStore(settings.store.type, settings.store.configuration)
  const values = opened.kv?.("responses")
  const running = opened.kv?.("responses.running")
  if (values === undefined || running === undefined)
    throw new RtrError("invalid_config", `Cannot keep responses: store "${settings.store.type}" has no values by key`)
  const jobs = await host.share("jobs", createJobs)
  const store = createResponseStore(values, settings)
  const onLost = (reason: string): void => host.log("warning", "response_not_kept", { reason })
  const background = createBackground({
    store,
    jobs,
    running,
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

  return {
    async create(input, { run, readChat }) {
      const { chat } = input
      const body = bodyOf(chat)
      const inBackground = body["background"] === true
      const stores = chat.session.store !== false
      checkCreate(chat, body, { inBackground, stores })
      const owner = ownerOf(input)
      const items = itemsOf(body["input"])
      if (stores) store.checkInput(items)
      const previous = chat.session.previousResponseId
      const history =
        previous === undefined
          ? undefined
          : await readHistory(store, previous, { owner, truncate: body["truncation"] === "auto" })
      const call = input.call(
        history === undefined && !inBackground ? chat : readChat(dialectId, withoutKeeping(body, history?.items)),
      )
      // The texts, and what is read from them.
      if (history !== undefined) call.hold?.(2 * history.bytes)
      const id = makeId("resp")
      const own = { id, previous_response_id: previous ?? null, store: stores }
      if (inBackground) {
        const head = { id, model: chat.model, created: Math.floor(host.clock() / 1000) }
        const response = { ...responseOf(head, chat), ...own, status: "queued" }
        await background.start({ kept: { owner, response, input: items }, call, run, retain: input.retain })
        return { body: response }
      }
      const keep = async (response: WireObject): Promise<boolean> => {
        try {
          await store.add({ owner, response: { metadata: body["metadata"] ?? {}, ...response }, input: items })
          return true
        } catch (error) {
          onLost(isRtrError(error) ? error.code : "internal_error")
          return false
        }
      }
      return { outcome: await run(call), filter: createReplyFilter({ own, ...(stores && { keep }) }) }
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

/** The name of the API key. Where the listener asks for none, all clients are one. */
const ownerOf = ({ principal: { key } }: Asker): string => (key === undefined ? "" : `key ${key}`)

/** Throws `invalid_request` for what the router does not keep, and for what it could not understand. */
function checkCreate(
  { stream }: ChatRequest,
  body: WireObject,
  { inBackground, stores }: { readonly inBackground: boolean; readonly stores: boolean },
): void {
  const { conversation = null, previous_response_id: previous = null, background = null, store = null } = body
  if (conversation !== null)
    throw badRequest('"conversation" is not supported; continue a response with "previous_response_id"')
  if (previous !== null && !isText(previous)) throw badRequest('"previous_response_id" must be a string')
  if (background !== null && typeof background !== "boolean") throw badRequest('"background" must be true or false')
  if (store !== null && typeof store !== "boolean") throw badRequest('"store" must be true or false')
  if (!inBackground) return
  if (!stores) throw badRequest('"background" needs a kept response, and "store" is false')
  if (stream) throw badRequest('"background" and "stream" do not go together; read the response until it has ended')
}

/** The body for backends, which know nothing of what is kept here. */
function withoutKeeping(asked: WireObject, history: readonly WireObject[] = []): WireObject {
  const { previous_response_id: _previous, background: _background, ...body } = asked
  const { input } = body
  if (history.length === 0) return body
  const added =
    typeof input === "string" ? [{ type: "message", role: "user", content: input }] : ((input ?? []) as WireObject[])
  return { ...body, input: [...history, ...added] }
}
