// The contract of providers: URL, headers and credentials of one family of backends.

import type { WireObject } from "./dialect.ts"
import type { ModuleBase } from "./module-base.ts"
import type { TransportRequest } from "./transport.ts"

/** One `backend_refs` entry with everything resolved. */
export interface Backend {
  readonly name: string
  /** Absolute base URL without a trailing slash. */
  readonly baseUrl: string
  readonly chatPath: string | undefined
  readonly apiVersion: string | undefined
  readonly authHeader: string | undefined
  readonly authPrefix: string | undefined
  readonly apiKey: string | undefined
  readonly extraHeaders: Readonly<Record<string, string>>
}

export interface ReasoningChoice {
  readonly enabled: boolean
  readonly effort: string
  readonly family: {
    readonly type: "chat_template_kwargs" | "reasoning_effort" | "top_level_reasoning_effort"
    readonly parameter: string
  }
}

/** A backend ready to be called. */
export interface ProviderBackend {
  /** The upstream request without time-outs, which the pipeline adds. `body` is the request in the provider's dialect. */
  toRequest(input: {
    readonly body: WireObject
    readonly stream: boolean
    readonly headers: Readonly<Record<string, string>>
    readonly reasoning: ReasoningChoice | undefined
  }): Pick<TransportRequest, "method" | "url" | "headers" | "body">
}

/** A protocol of one family of backends, and how they are asked in it. */
export interface ProviderFormat {
  /** Id of the dialect that the backends speak. */
  readonly dialect: string
  readonly setup: (backend: Backend) => ProviderBackend
}

export interface ProviderModule extends ModuleBase, ProviderFormat {
  readonly kind: "provider"
  /** Speaks to backends that name no provider. */
  readonly isDefault?: true
  /** Where backends are that name no address; left out where there is no one place. */
  readonly baseUrl?: string
  /** Environment variable with the key of `baseUrl`. It is never sent anywhere else. */
  readonly keyVariable?: string
  /** Id of the provider that this is another name of. */
  readonly aliasOf?: string
  /** Id to write instead of this one, which only older documents have. */
  readonly useInstead?: string
  /** Page that these facts are from. */
  readonly source?: string
  /** Further protocols of the same backends, by the `api_format` of a model that picks one. */
  readonly formats?: Readonly<Record<string, ProviderFormat>>
}
