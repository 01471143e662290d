// Calls the management API of a running router.

import { ofetch } from "ofetch"
import { readPlainUrl, RtrError } from "rtr"
import { createManagementClient, type ManagementCall, type ManagementClient } from "./management-client.gen.ts"
import { UsageError } from "./program.ts"
import { defaultEndpoint, type RemoteOptions } from "./remote-options.ts"
import { documentAddress, type FoundAddress } from "./router-address.ts"

/** The typed client of one router. Rejects with a `UsageError` for an endpoint that is no origin. */
export async function connectManagement(options: RemoteOptions): Promise<ManagementClient> {
  const { endpoint, config } = options
  const found =
    endpoint === undefined
      ? await documentAddress({
          config,
          read: (addresses) => addresses.management(),
          usual: defaultEndpoint,
          option: "--endpoint",
        })
      : { url: originOf(endpoint), from: "--endpoint" }
  return createManagementClient(createCall(found, options))
}

function createCall({ url: origin, from }: FoundAddress, { tokenEnv, timeout }: RemoteOptions): ManagementCall {
  const token = process.env[tokenEnv]
  return async ({ method, path, params = {}, query, body, statuses }) => {
    try {
      const response = await ofetch.raw<unknown>(fillIn(path, params), {
        baseURL: origin,
        method,
        retry: 0,
        timeout: timeout * 1000,
        ignoreResponseError: true,
        ...(query !== undefined && { query }),
        ...(body !== undefined && { body: body as Record<string, unknown> }),
        ...(token !== undefined && token !== "" && { headers: { authorization: `Bearer ${token}` } }),
      })
      if (!statuses.includes(response.status) || isError(response._data))
        throw answered(response.status, response._data, tokenEnv)
      return response._data
    } catch (error) {
      if (error instanceof RtrError) throw error
      throw new RtrError(
        "unavailable",
        `The router's management API is not reachable at ${origin} (from ${from}): ${reasonOf(error)}`,
        { cause: error, hint: "Start the router with: rtr serve; --endpoint or --config names another one" },
      )
    }
  }
}

/** The innermost cause says what happened: `connect ECONNREFUSED 127.0.0.1:8080`. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause !== undefined) return reasonOf(cause)
  return error instanceof Error && error.message !== "" ? error.message : "no answer"
}

const fillIn = (path: string, params: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))

interface ErrorBody {
  readonly error: { readonly code?: string; readonly message?: string }
}

/** A status such as 503 may come with a reply or with an error. */
function isError(body: unknown): body is ErrorBody {
  const { error } = (body ?? {}) as { error?: unknown }
  return typeof error === "object" && error !== null
}

function answered(status: number, body: unknown, tokenEnv: string): RtrError {
  const { code, message } = isError(body) ? body.error : {}
  return new RtrError(
    "upstream_error",
    `The router answered ${status}${code === undefined ? "" : ` ${code}`}: ${message ?? "no message"}`,
    status === 401
      ? { hint: `Put the management token into ${tokenEnv}, or name another variable with --token-env` }
      : {},
  )
}

/** An origin, or an origin with `/api/v1`. Credentials in a URL would end up in shells' histories. */
function originOf(endpoint: string): string {
  const url = readPlainUrl(endpoint)
  if (url !== undefined && /^(\/|\/api\/v1\/?)$/.test(url.pathname)) return url.origin
  throw new UsageError(`--endpoint must be an origin such as ${defaultEndpoint}, without user, query or fragment`)
}
