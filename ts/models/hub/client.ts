// Requests to the hub. The token goes to the endpoint's own origin only, and only that origin is believed about digests.

import { type Dispatcher, EnvHttpProxyAgent, request } from "undici"
import { RtrError } from "../../kernel/index.ts"
import { retryAfterMs, TryAgain } from "./retry.ts"
import type { HubSettings } from "./settings.ts"

export interface HubAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Headers of the endpoint's own answers on the way, later ones over earlier ones. */
  readonly endpointHeaders: Readonly<Record<string, string>>
  /** Origin of the server that sent this answer. */
  readonly origin: string
  readonly body: Dispatcher.ResponseData["body"]
}

export interface HubRequest {
  readonly method: "GET" | "HEAD"
  /** Path and query after the endpoint. */
  readonly path: string
  /** What is asked for, for error messages: `org/name` or `org/name/file`. */
  readonly subject: string
  /** Headers for the server at an origin. */
  readonly headersFor?: (origin: string) => Readonly<Record<string, string>>
  /** A redirect to another origin is the answer; otherwise it is followed. */
  readonly stayAtEndpoint?: boolean
}

export interface HubClient {
  /** One request. Rejects with `TryAgain` for what may pass, with an `RtrError` for what will not. */
  send(request: HubRequest): Promise<HubAnswer>
  close(): Promise<void>
}

const maxRedirects = 10

export function createHubClient(settings: HubSettings): HubClient {
  // Honours HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: Math.min(settings.stallMs, 10_000) } })
  return {
    send: (asked) => follow(settings, dispatcher, asked),
    close: () => dispatcher.destroy(),
  }
}

async function follow(settings: HubSettings, dispatcher: Dispatcher, asked: HubRequest): Promise<HubAnswer> {
  const endpointOrigin = new URL(settings.endpoint).origin
  let url = new URL(settings.endpoint + asked.path)
  const endpointHeaders: Record<string, string> = {}
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const answer = await sendOnce(settings, dispatcher, asked, url)
    const headers = singleHeaders(answer.headers)
    const atEndpoint = url.origin === endpointOrigin
    if (atEndpoint) Object.assign(endpointHeaders, headers)
    const result = { status: answer.statusCode, headers, endpointHeaders, origin: url.origin, body: answer.body }
    const location = headers["location"]
    if (answer.statusCode < 300 || answer.statusCode >= 400 || location === undefined)
      return refuseFailures(result, asked, settings)
    const next = redirectTarget(location, url, asked)
    if (asked.stayAtEndpoint === true && next.origin !== endpointOrigin) return result
    await answer.body.dump()
    url = next
  }
  throw new RtrError("unavailable", `Cannot fetch ${asked.subject}: more than ${maxRedirects} redirects`)
}

async function sendOnce(
  settings: HubSettings,
  dispatcher: Dispatcher,
  asked: HubRequest,
  url: URL,
): Promise<Dispatcher.ResponseData> {
  const token = settings.token()
  const mayHaveToken = token !== undefined && url.origin === new URL(settings.endpoint).origin
  try {
    return await request(url, {
      dispatcher,
      method: asked.method,
      headersTimeout: settings.stallMs,
      bodyTimeout: settings.stallMs,
      headers: {
        "user-agent": "rtrun",
        // Sizes and digests are those of the file itself.
        "accept-encoding": "identity",
        ...asked.headersFor?.(url.origin),
        ...(mayHaveToken && { authorization: `Bearer ${token}` }),
      },
    })
  } catch (cause) {
    throw toTryAgain(cause, url.host, settings)
  }
}

/** What a broken connection becomes. URLs of content servers carry signatures, so only the host is named. */
export function toTryAgain(cause: unknown, host: string, settings: HubSettings, progressed = false): TryAgain {
  const { code, message } = cause as { code?: string; message?: string }
  const reason =
    code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT"
      ? `${host} sent nothing for ${settings.stallMs / 1000} s`
      : code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "UND_ERR_ABORTED"
        ? `the connection to ${host} was cut`
        : `${host} cannot be reached (${code ?? message ?? "unknown reason"})`
  return new TryAgain(reason, { cause, progressed })
}

function redirectTarget(location: string, from: URL, asked: HubRequest): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined
  const isSafe =
    next !== undefined &&
    (next.protocol === "https:" || (next.protocol === "http:" && from.protocol === "http:")) &&
    next.username === "" &&
    next.password === ""
  if (isSafe) return next
  throw new RtrError(
    "unavailable",
    `Cannot fetch ${asked.subject}: ${from.host} redirects to an address that is not safe`,
  )
}

async function refuseFailures(answer: HubAnswer, asked: HubRequest, settings: HubSettings): Promise<HubAnswer> {
  const { status, headers } = answer
  // 416 answers a range; who asked for one handles it.
  if (status < 300 || status === 416) return answer
  await answer.body.dump()
  const host = new URL(answer.origin).host
  if (status === 408 || status === 429 || status >= 500)
    throw new TryAgain(`${host} answers ${status}`, { waitMs: retryAfterMs(headers["retry-after"]) })
  // A content server refuses when the signed address is too old; the endpoint makes a new one.
  if (answer.origin !== new URL(settings.endpoint).origin) throw new TryAgain(`${host} answers ${status}`)
  throw refusal(status, headers["x-error-code"], asked.subject, settings)
}

function refusal(status: number, errorCode: string | undefined, subject: string, settings: HubSettings): RtrError {
  const start = `Cannot fetch ${subject} from ${settings.endpoint}: the hub answers ${status}`
  if (errorCode === "GatedRepo")
    return new RtrError(
      "unavailable",
      `${start}: access has to be granted first; accept the terms on the model's page and set HUB_TOKEN to a token of that account`,
    )
  if (status === 401 || status === 403) {
    const problem = settings.token() === undefined ? "there is no access token" : "the access token is not accepted"
    return new RtrError(
      "unavailable",
      `${start}: ${problem}, or the repository does not exist; set HUB_TOKEN to a token that may read it`,
    )
  }
  if (status !== 404) return new RtrError("unavailable", `${start}; 200 is expected`)
  const missing =
    errorCode === "RevisionNotFound"
      ? "the revision is not found"
      : errorCode === "EntryNotFound"
        ? "the file is not found"
        : "the repository or its revision is not found"
  return new RtrError("not_found", `${start}: ${missing}; check its name and set HUB_TOKEN if it is private`)
}

/** One value for each name; of headers that come twice, the first. */
function singleHeaders(headers: Dispatcher.ResponseData["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value
      return first === undefined ? [] : [[name, first]]
    }),
  )
}
