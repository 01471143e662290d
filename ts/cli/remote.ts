// The client of the management API.

import { type FetchError, ofetch } from "ofetch"
import { RtrError } from "rtr"
import { defaultEndpoint, type RemoteOptions } from "./remote-options.ts"

/** Calls a management route. Rejects with an `RtrError` that says what the router answered. */
export async function callManagement<Body>(
  path: string,
  options: RemoteOptions,
  request: { readonly method?: "GET" | "POST"; readonly body?: object; readonly accept?: readonly number[] } = {},
): Promise<Body> {
  const origin = originOf(options.endpoint)
  const token = process.env[options.tokenEnv]
  try {
    const response = await ofetch.raw<Body>(path, {
      baseURL: origin,
      method: request.method ?? "GET",
      retry: 0,
      timeout: options.timeout * 1000,
      ignoreResponseError: true,
      ...(request.body !== undefined && { body: request.body as Record<string, unknown> }),
      ...(token !== undefined && token !== "" && { headers: { authorization: `Bearer ${token}` } }),
    })
    if (response.status >= 400 && request.accept?.includes(response.status) !== true)
      throw answered(response.status, response._data)
    return response._data as Body
  } catch (error) {
    if (error instanceof RtrError) throw error
    throw new RtrError(
      "unavailable",
      `The router's management API is not reachable at ${origin}: ${(error as FetchError).message.split(": ").at(-1) ?? "no answer"}`,
      { cause: error, hint: "Start the router with: rtr serve" },
    )
  }
}

function answered(status: number, body: unknown): RtrError {
  const { code, message } = (body as { error?: { code?: string; message?: string } } | undefined)?.error ?? {}
  return new RtrError(
    "upstream_error",
    `The router answered ${status}${code === undefined ? "" : ` ${code}`}: ${message ?? "no message"}`,
  )
}

/** An origin, or an origin with `/api/v1`. Credentials in a URL would end up in shells' histories. */
function originOf(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  const fits =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "" &&
    /^(\/|\/api\/v1\/?)$/.test(url.pathname)
  if (!fits)
    throw new RtrError(
      "invalid_request",
      `--endpoint must be an origin such as ${defaultEndpoint}, without user, query or fragment, got "${endpoint}"`,
    )
  return url.origin
}
