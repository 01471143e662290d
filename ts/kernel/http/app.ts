// The app of one listener of one generation: finds the operation of a request, checks it, runs it and writes its reply.

import { H3 } from "h3"
import { type ErrorCode, RtrError } from "../error.ts"
import type { DialectModule } from "../types/dialect.ts"
import { toHeaderText } from "../types/header-text.ts"
import { type CallRecord, failedCallOf } from "../types/call.ts"
import type { ChatRequest } from "../types/chat.ts"
import type { ApiKey, ManagementToken, PlannedSignal } from "../types/plan.ts"
import type { Principal } from "../types/principal.ts"
import type { ListenerKind, OperationInput, OperationReply, ReplyWriter, UnroutedRequest } from "../types/route.ts"
import { createAuthorise } from "./authorise.ts"
import { maxBodyBytes, maxChatBodyBytes, readBody } from "./body.ts"
import { type ChatResponder, chatResponse } from "./chat-response.ts"
import { clientAddressOf } from "./client-address.ts"
import { errorResponse, inferenceErrorBody, managementErrorBody, toPublicError } from "./error-body.ts"
import { createHeldMemory, type HeldMemory } from "./held-memory.ts"
import { IncomingCall } from "./incoming-call.ts"
import { RequestLease } from "./lease.ts"
import type { MountedOperation } from "./mount.ts"
import { readInput } from "./read-input.ts"
import { requestIdOf } from "./request-id.ts"
import { textResponse } from "./response.ts"
import { createRoutingHeaders } from "./headers/routing-headers.ts"

export interface ListenerAppOptions {
  readonly name: string
  readonly kind: ListenerKind
  readonly operations: readonly MountedOperation[]
  readonly dialects: ReadonlyMap<string, DialectModule>
  /** Keys of an inference listener; without one everybody may pass. */
  readonly apiKeys?: readonly ApiKey[]
  /** Tokens of the management listener; without the list its authentication is off. */
  readonly tokens?: readonly ManagementToken[] | undefined
  /** Models that clients of an inference listener may name; undefined means all. */
  readonly grants?: ReadonlySet<string> | undefined
  /** The listener's `timeout`; 300,000 when left out. */
  readonly upstreamTimeoutMs?: number
  /** Called when a request starts; the function that it returns runs once, when the reply or its stream has ended. */
  readonly acquire?: () => () => void
  /** Signals of a recipe of the plan, whose facts debug headers tell. */
  readonly signals?: (recipe: string | undefined) => readonly PlannedSignal[]
  /** Counts what all requests of the process hold; an own count when left out. */
  readonly memory?: HeldMemory
  /** Told about errors that are bugs, with the request id and never with content. */
  readonly onInternalError?: (error: unknown, requestId: string) => void
  /** Told about each request that no call record tells of. */
  readonly onUnrouted?: ((request: UnroutedRequest) => void) | undefined
}

export interface ListenerApp {
  fetch(request: Request): Response | Promise<Response>
}

/** An operation with what the app finds out about it once. */
interface Target {
  readonly operation: MountedOperation
  /** Reads the body of a chat request. */
  readonly dialect: DialectModule | undefined
  readonly responder: ChatResponder | undefined
  readonly hasBody: boolean
  readonly maxBodyBytes: number
}

/** A request whose sender is known and whose body is parsed. */
interface ReadRequest {
  readonly id: string
  readonly startedAt: number
  readonly principal: Principal
  readonly params: Params
  readonly body: unknown
  readonly lease: RequestLease
}

/** What there is to tell of a request without a record. */
interface Told {
  readonly id: string
  readonly startedAt: number
  readonly operation: MountedOperation | undefined
  readonly principal: Principal | undefined
  readonly status: number
  readonly error?: ErrorCode
}

type Params = Readonly<Record<string, string>>
const noParams: Params = {}

export function createListenerApp(options: ListenerAppOptions): ListenerApp {
  const {
    name,
    kind,
    grants,
    upstreamTimeoutMs = 300_000,
    acquire,
    signals = () => [],
    memory = createHeldMemory(),
    onInternalError,
    onUnrouted,
  } = options
  const authorise = createAuthorise(options)
  const headers = createRoutingHeaders()
  /** Whose share of the memory a request takes: the key's or token's where there are some, the address's otherwise. */
  const isIdentified = kind === "inference" ? (options.apiKeys ?? []).length > 0 : options.tokens !== undefined

  const debugHeaders = async (record: CallRecord): Promise<Params> =>
    (await import("./headers/debug-headers.ts")).debugHeaders(record, signals(record.recipe), toHeaderText)

  const serve = async (request: Request, target: Target, params: Params): Promise<Response> => {
    const startedAt = performance.now()
    const id = requestIdOf(request.headers)
    const { operation } = target
    const lease = new RequestLease(acquire, memory)
    let principal: Principal | undefined
    try {
      principal = authorise(request.headers, operation)
      lease.client = isIdentified ? principal : clientAddressOf(request)
      const body = target.hasBody ? await readBody(request, target.maxBodyBytes, lease) : undefined
      const input = toInput(request, target, { id, startedAt, principal, params, body, lease })
      const result = await operation.handle(input)
      if ("outcome" in result) {
        if (target.responder === undefined)
          throw new Error(`operation ${operation.id} returns an outcome and names neither a dialect nor a form`)
        const debug =
          request.headers.get("x-rtr-debug") === "true" ? await debugHeaders(result.outcome.record) : undefined
        return await chatResponse(target.responder, result, result.chat ?? input.chat, lease, debug)
      }
      const response = replyResponse(target, result, id)
      lease.end()
      tell(request, { id, startedAt, operation, principal, status: response.status })
      return response
    } catch (error) {
      lease.end()
      const known = toPublicError(error, operation.errors === "management")
      if (known !== error || known.code === "internal_error") onInternalError?.(error, id)
      const { status } = known
      const record = failedCallOf(error)
      if (record === undefined) tell(request, { id, startedAt, operation, principal, status, error: known.code })
      return toResponse(request, known, { id, target, headers: record && headers(record, "application/json") })
    }
  }

  const tell = (request: Request, told: Told): void => {
    if (onUnrouted === undefined) return
    const { id, startedAt, operation, principal, status, error } = told
    try {
      onUnrouted({
        id,
        listener: name,
        kind,
        method: request.method,
        path: operation?.path,
        open: operation?.open?.includes(kind) === true,
        key: kind === "inference" ? principal?.key : principal?.name,
        status,
        error,
        totalMs: performance.now() - startedAt,
      })
    } catch (cause) {
      // What a listener makes of a request is no matter of its reply.
      onInternalError?.(cause, id)
    }
  }

  const toInput = (
    request: Request,
    { operation, dialect: reader }: Target,
    { id, startedAt, principal, params, body, lease }: ReadRequest,
  ): OperationInput<unknown, unknown, unknown> => {
    const header = (wanted: string): string | undefined => request.headers.get(wanted) ?? undefined
    const isChecked = operation.params !== undefined || operation.query !== undefined || operation.body !== undefined
    const checked = isChecked
      ? readInput(operation, { params, query: queryOf(request.url), ...(operation.body !== undefined && { body }) })
      : undefined
    const dialect = operation.dialect ?? ""
    const call = (chat: ChatRequest): IncomingCall =>
      new IncomingCall(request, chat, {
        id,
        dialect,
        header,
        principal,
        startedAt,
        listener: name,
        endpoint: operation.path,
        grants,
        upstreamTimeoutMs,
        hold: lease.hold,
      })
    return {
      id,
      params: checked?.params,
      query: checked?.query,
      body: checked?.body,
      chat: reader?.readRequest(body) as ChatRequest,
      call,
      principal,
      retain: () => lease.retain(),
      hold: lease.hold,
      header,
      listener: name,
      listenerKind: kind,
      startedAt,
    }
  }

  /** Answers a request that has no operation, after its key was checked. */
  const refuse = (
    request: Request,
    code: ErrorCode,
    message: string,
    more: Readonly<Record<string, string>> = {},
  ): Response => {
    const id = requestIdOf(request.headers)
    const startedAt = performance.now()
    let error = new RtrError(code, message)
    let principal: Principal | undefined
    try {
      principal = authorise(request.headers, undefined)
    } catch (refused) {
      error = toPublicError(refused)
    }
    tell(request, { id, startedAt, operation: undefined, principal, status: error.status, error: error.code })
    return toResponse(request, error, { id, headers: more })
  }

  /** Clients of inference get an error in the shape of their own protocol. */
  const toResponse = (
    request: Request,
    error: RtrError,
    {
      id,
      target,
      headers: more,
    }: { readonly id: string; readonly target?: Target; readonly headers?: Params | undefined },
  ): Response => {
    const isForOperators = target === undefined ? kind !== "inference" : target.operation.errors === "management"
    const dialect = isForOperators ? undefined : (target?.responder?.dialect ?? spokenDialect(request))
    const body = dialect?.errorBody(error, id) ?? (isForOperators ? managementErrorBody : inferenceErrorBody)(error, id)
    return errorResponse(error, body, { requestId: id, headers: { ...more, ...idHeaderOf(dialect, id) } })
  }

  /** The dialect of the operation at or above the path; for other paths the one whose headers the client sends. */
  const spokenDialect = ({ url, headers: sent }: Request): DialectModule | undefined => {
    const path = `${pathOf(url)}/`
    const above = options.operations.find((each) => each.dialect !== undefined && path.startsWith(`${each.path}/`))
    return above === undefined
      ? [...options.dialects.values()].find(({ clientHeaders = {} }) =>
          Object.keys(clientHeaders).some((header) => sent.has(header)),
        )
      : options.dialects.get(above.dialect as string)
  }

  const paths = groupByPath(options.operations.map((operation) => toTarget(operation, options, headers)))
  const answer = (request: Request, path: string, params: Params): Response | Promise<Response> => {
    const targets = paths.get(path) as ReadonlyMap<string, Target>
    const target = targets.get(request.method)
    if (target !== undefined) return serve(request, target, params)
    const read = request.method === "HEAD" ? targets.get("GET") : undefined
    if (read !== undefined) return serve(request, read, params).then(withoutBody)
    const methods = [...targets.keys()].join(", ")
    return refuse(request, "method_not_allowed", `${request.method} is not allowed on ${path}; use ${methods}`, {
      allow: methods,
    })
  }

  // A path that is not valid percent-encoding is refused here, in the surface's own format.
  const app = new H3({ allowMalformedURL: true })
  for (const [path, targets] of paths)
    app.all(patternOf(path, targets), (event) =>
      answer(event.req, path, (event.context.params as Params | undefined) ?? noParams),
    )
  app.all("/**", (event) =>
    refuse(
      event.req,
      "not_found",
      `There is no ${event.req.method} ${shorten(event.url.pathname)} here${meantPath(event.url.pathname)}`,
    ),
  )

  /** A client whose base URL lacks `/v1`, or has it twice, or something before it. */
  function meantPath(path: string): string {
    const meant = `/v1${path.slice(path.lastIndexOf("/v1/") < 0 ? 0 : path.lastIndexOf("/v1/") + 3).replace(/\/$/, "")}`
    return paths.has(meant) ? `; did you mean ${meant}?` : ""
  }

  return {
    fetch(request) {
      // A path without parameters is found here: h3's event, its URL and its router cost 1 µs more, of the 5 that the listener takes.
      const path = pathOf(request.url)
      return paths.has(path) ? answer(request, path, noParams) : app.fetch(request)
    },
  }
}

function toTarget(
  operation: MountedOperation,
  { dialects, onInternalError }: ListenerAppOptions,
  headers: ChatResponder["headers"],
): Target {
  const { dialect: dialectId, form, id, body } = operation
  const wire = dialectId ?? form?.errorsOf
  if (wire === undefined)
    return {
      operation,
      dialect: undefined,
      responder: undefined,
      hasBody: body !== undefined,
      maxBodyBytes: operation.maxBodyBytes ?? maxBodyBytes,
    }
  const dialect = dialects.get(wire)
  if (dialect === undefined)
    throw new RtrError("invalid_module", `Cannot mount operation ${id}: there is no dialect "${wire}"`)
  return {
    operation,
    dialect: dialectId === undefined ? undefined : dialect,
    responder: {
      dialectId: dialectId ?? "",
      dialect: form === undefined ? dialect : { ...dialect, ...form },
      headers,
      onInternalError,
    },
    hasBody: true,
    maxBodyBytes: operation.maxBodyBytes ?? maxChatBodyBytes,
  }
}

function groupByPath(targets: readonly Target[]): ReadonlyMap<string, ReadonlyMap<string, Target>> {
  const paths = new Map<string, Map<string, Target>>()
  for (const target of targets) {
    const { method, path, id } = target.operation
    const methods = paths.get(path) ?? new Map<string, Target>()
    const taken = methods.get(method)
    if (taken !== undefined)
      throw new RtrError(
        "invalid_module",
        `Cannot mount operation ${id}: ${taken.operation.id} serves ${method} ${path} already`,
      )
    paths.set(path, methods.set(method, target))
  }
  return paths
}

/** The path in the words of h3's router. */
function patternOf(path: string, targets: ReadonlyMap<string, Target>): string {
  const takesRest = [...targets.values()].some(({ operation }) => operation.lastParamTakesRest === true)
  const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1")
  return takesRest ? pattern.replace(/:(\w+)$/, "**:$1") : pattern
}

function idHeaderOf(dialect: ReplyWriter | undefined, id: string): Params {
  const name = dialect?.idHeader
  return name === undefined ? noParams : { [name]: id }
}

function replyResponse(target: Target, reply: OperationReply, id: string): Response {
  const { status = 200, body, text } = reply
  const headers = { "x-request-id": id, ...idHeaderOf(target.responder?.dialect, id), ...reply.headers }
  const type =
    target.operation.replies[status]?.type ?? (text === undefined ? "application/json" : "text/plain; charset=utf-8")
  // Some statuses may not have a body, not even an empty one.
  if (text === undefined && body === undefined) return new Response(null, { status, headers })
  return textResponse(text ?? `${JSON.stringify(body)}\n`, status, { "content-type": type, ...headers })
}

const withoutBody = (response: Response): Response =>
  new Response(null, { status: response.status, headers: response.headers })

/** The path of an absolute URL. */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2)
  if (start < 0) return "/"
  const end = url.indexOf("?", start)
  const hash = url.indexOf("#", start)
  return url.slice(start, end < 0 ? (hash < 0 ? undefined : hash) : end)
}

function queryOf(url: string): string {
  const start = url.indexOf("?")
  return start < 0 ? "" : (url.slice(start + 1).split("#", 1)[0] ?? "")
}

const shorten = (path: string): string => (path.length > 100 ? `${path.slice(0, 100)}…` : path)
