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

/** How models of one family are told to reason. */
export interface ReasoningFamily {
  readonly type: "chat_template_kwargs" | "reasoning_effort" | "top_level_reasoning_effort" | "reasoning_mode"
  /** Field with the effort, the mode or the switch. */
  readonly parameter: string
  /** Argument of the template that switches reasoning on and off, beside an effort. */
  readonly activationParameter?: string | undefined
  /** Argument of the template for each effort that has one of its own; an effort without one is that of none of them. */
  readonly effortFlags?: Readonly<Record<string, string>> | undefined
  /** Effort that means none. */
  readonly disabled?: string | undefined
  readonly modes?: readonly string[] | undefined
}

/** How a candidate shall reason. */
export interface ReasoningChoice {
  readonly enabled: boolean
  readonly effort: string
  readonly mode?: string | undefined
  /** Undefined where the host has one way for all its models. */
  readonly family: ReasoningFamily | undefined
}

/** Puts a choice into a body of the provider's dialect. */
export type ReasoningWriter = (body: WireObject, choice: ReasoningChoice) => WireObject

/** How models at one address are told to reason. */
export interface HostReasoning {
  /** Only the family of a model says how; the host has no way for all of them. */
  readonly needsFamily: boolean
  readonly write: ReasoningWriter
}

/** A backend ready to be called. */
export interface ProviderBackend {
  /** The upstream request without time-outs, which the pipeline adds. `body` is the request in the provider's dialect. */
  toRequest(input: {
    readonly body: WireObject
    readonly stream: boolean
    readonly headers: Readonly<Record<string, string>>
  }): Pick<TransportRequest, "method" | "url" | "headers" | "body">
}

/** A protocol of one family of backends, and how they are asked in it. */
export interface ProviderFormat {
  /** Id of the dialect that the backends speak. */
  readonly dialect: string
  readonly setup: (backend: Backend) => ProviderBackend
  /** Loads how models are told to reason, by their base URL; left out where they cannot be told. */
  readonly reasoning?: () => Promise<(baseUrl: string) => HostReasoning>
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
