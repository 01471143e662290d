// `providers.models[].backend_refs[]`: where a model answers, and how it is asked there.

import { Type, type Static } from "typebox"
import { type DocumentPath, RtrError } from "../../error.ts"
import { setUpNow } from "../../modules/set-up.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import { hiddenFormOf, literals, mapOf, name, section } from "../../schema/shapes.ts"
import type { DialectModule } from "../../types/dialect.ts"
import type { RegisteredModule } from "../../types/module.ts"
import type { TargetBackend } from "../../types/plan.ts"
import type { Registry } from "../../modules/registry.ts"
import type { Backend, ProviderFormat, ProviderModule } from "../../types/provider.ts"
import type { CompileOptions } from "../compile.ts"
import { defaultModuleId, requireDefaultModule } from "../default-modules.ts"
import { readVariable, shownVariable } from "../environment.ts"
import { isHeaderValue, isSettableHeader, notSendable } from "../header-text.ts"
import type { ProviderModel } from "./providers.ts"
import type { ReasoningPlan } from "./reasoning/plan.ts"

/** The `api_format` of what every provider speaks. */
export const plainFormat = "openai"

/** Undefined for what every provider speaks. */
export const formatOf = ({ api_format: format }: ProviderModel): string | undefined =>
  format === plainFormat ? undefined : format

export type BackendRef = Static<ReturnType<typeof backendRefSchema>>

/** Name of an environment variable. */
export const variableName = Type.String({
  pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
  description: "Name of the environment variable that holds the key",
})

/** Sums of greater ones would lose the lesser ones. */
const maxWeight = 1_000_000

export function backendRefSchema(providerIds: readonly string[]) {
  return section({
    name: Type.Optional(name),
    endpoint: Type.Optional(
      Type.String({
        minLength: 1,
        description: "host[:port], whose API is under /v1, or a URL; an address of the provider when left out",
      }),
    ),
    protocol: Type.Optional(literals(["http", "https"])),
    weight: Type.Optional(
      Type.Integer({ minimum: 0, maximum: maxWeight, description: "Share of the requests; 0 counts as 1" }),
    ),
    priority: Type.Optional(Type.Integer({ minimum: 0, description: "Stands in for backends of lower numbers" })),
    base_url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description: "Instead of endpoint; may carry a path",
        [hiddenFormOf]: "a URL that begins with http:// or https://",
      }),
    ),
    provider: Type.Optional(
      literals(providerIds, { description: "Whose protocol, headers and path; rtr providers list" }),
    ),
    auth_header: Type.Optional(name),
    auth_prefix: Type.Optional(Type.String()),
    extra_headers: Type.Optional(mapOf(Type.String())),
    api_version: Type.Optional(Type.String()),
    chat_path: Type.Optional(Type.String({ pattern: "^/" })),
    think_tags: Type.Optional(
      literals(["written", "opened"], {
        description:
          "Text before </think> becomes reasoning: behind a <think> that is written, or that the template has opened",
      }),
    ),
    api_key: Type.Optional(Type.String()),
    api_key_env: Type.Optional(variableName),
  })
}

/** The backends of a model, of which those without a provider have the model's one. A model with neither has none, and is only described. */
export function refsOf({ provider, backend_refs: refs }: ProviderModel): readonly BackendRef[] {
  return provider === undefined ? (refs ?? []) : (refs ?? [{}]).map((ref) => ({ provider, ...ref }))
}

/** The protocol that a backend is asked in; undefined where its provider is unknown or has it not. */
export function protocolOf(model: ProviderModel, ref: BackendRef, registry: Registry): ProviderFormat | undefined {
  const module = providerOf(ref, registry)
  const format = formatOf(model)
  return format === undefined ? module : module?.formats?.[format]
}

/** The base URL of a backend, its own one or that of its provider. */
export const addressOf = (ref: BackendRef, registry: Registry): string | undefined =>
  urlIn(ref) ?? providerOf(ref, registry)?.baseUrl

const providerOf = ({ provider }: BackendRef, registry: Registry): ProviderModule | undefined =>
  registry.find("provider", provider ?? defaultModuleId(registry, "provider") ?? "")?.module

export function checkBackend(ref: BackendRef, at: DocumentPath, registry: Registry): readonly Problem[] {
  const problems: Problem[] = []
  const id = ref.provider ?? defaultModuleId(registry, "provider")
  const key = ref.endpoint === undefined ? "base_url" : "endpoint"
  const useInstead = providerOf(ref, registry)?.useInstead
  const url = addressOf(ref, registry)
  if (useInstead !== undefined)
    problems.push({ ...invalid([...at, "provider"], `is no provider; write "${useInstead}"`), severity: "warning" })
  if (url === undefined)
    problems.push(invalid(at, `must have an endpoint or a base_url; provider "${id}" has no address of its own`))
  if (ref.endpoint !== undefined && ref.base_url !== undefined)
    problems.push(invalid([...at, "base_url"], "stands beside endpoint; keep one"))
  // The schema reports an empty one.
  if (ref.endpoint !== undefined && ref.endpoint !== "" && !isEndpoint(ref.endpoint))
    problems.push(invalid([...at, "endpoint"], "must be host or host:port, or a URL without user, query and fragment"))
  // The schema reports one of another scheme.
  if (ref.base_url !== undefined && /^https?:\/\//.test(ref.base_url) && !URL.canParse(ref.base_url))
    problems.push(invalid([...at, "base_url"], "is not a URL"))
  // With a path of its own the backend is not asked below the base URL.
  const [apiPath] = (ref.chat_path === undefined && apiPathIn.exec(ref[key] ?? "")) || []
  if (apiPath !== undefined)
    problems.push(
      invalid([...at, key], `ends with ${apiPath}, which is added to it; write ${shownBase(ref[key] ?? "")}`),
    )
  if (ref.api_key !== undefined && ref.api_key_env !== undefined)
    problems.push(invalid([...at, "api_key_env"], "stands beside api_key; keep one"))
  if (ref.api_key !== undefined && ref.api_key !== "" && !isHeaderValue(ref.api_key))
    problems.push(invalid([...at, "api_key"], notSendable))
  for (const [header, value] of Object.entries(ref.extra_headers ?? {})) {
    if (!isSettableHeader(header))
      problems.push(
        invalid([...at, "extra_headers", header], "cannot be set: the router writes it, or it is no name of a header"),
      )
    else if (!isHeaderValue(value)) problems.push(invalid([...at, "extra_headers", header], notSendable))
  }
  return problems
}

const isEndpoint = (endpoint: string): boolean =>
  /^(https?:\/\/)?(\[[0-9a-fA-F:]+\]|[^\s/:@?#[\]]+)(:\d{1,5})?(\/[^\s?#]*)?$/.test(endpoint) &&
  URL.canParse(withScheme(endpoint))

const withScheme = (endpoint: string, protocol = "http"): string =>
  endpoint.includes("://") ? endpoint : `${protocol}://${endpoint}`

/** Paths of the APIs below their base. */
const apiPathIn = /(\/chat\/completions|(?<=\/v1)\/(completions|responses|messages|embeddings|models))\/*$/

/** The base URL that is meant by one with a path of the API; one that may hold a password is not quoted. */
const shownBase = (url: string): string => (/[@?#]/.test(url) ? "the part before it" : url.replace(apiPathIn, ""))

/** What of `reasoning/plan.ts` concerns backends. */
export interface Reasons {
  readonly reasoning?: Pick<ReasoningPlan, "hostOf"> | undefined
}

interface BackendEntry {
  readonly model: ProviderModel
  readonly ref: BackendRef
  readonly path: DocumentPath
}

/** Shorter header values stand in any text by chance. */
const shortestSecret = 6

/** Sets a backend up with its provider. Throws an `RtrError` with the path of what is missing. */
export function compileBackend(
  { model, ref, path }: BackendEntry,
  { registry, environment, reasoning }: Pick<CompileOptions, "registry" | "environment"> & Reasons,
): TargetBackend {
  const refuse = (reason: string, at: DocumentPath = path): never => {
    throw new RtrError("invalid_config", `Cannot serve model "${model.name}": ${reason}`, { path: at })
  }
  const providerId = ref.provider ?? requireDefaultModule(registry, "provider")
  const registered = registry.find("provider", providerId)
  if (registered === undefined) return refuse(`there is no provider "${providerId}"`)
  const { module, source } = registered
  const provider = protocolOf(model, ref, registry)
  if (provider === undefined) return refuse(`provider "${providerId}" has no api_format "${formatOf(model)}"`)
  const dialect = registry.find("dialect", provider.dialect)?.module
  if (dialect === undefined)
    return refuse(`provider "${providerId}" speaks dialect "${provider.dialect}", which is not registered`)
  const backendName = ref.name ?? (refsOf(model).length === 1 ? "primary" : `backend-${Number(path.at(-1)) + 1}`)
  const variable = keyVariableOf(ref, module)
  const apiKey = variable === undefined ? ref.api_key : readVariable(environment, variable)
  if (variable !== undefined && (apiKey === undefined || apiKey === ""))
    return refuse(
      `${shownVariable(variable)}, which ${ref.api_key_env === undefined ? `provider "${providerId}"` : `api_key_env of backend "${backendName}"`} names, is not set`,
      [...path, "api_key_env"],
    )
  if (variable !== undefined && !isHeaderValue(apiKey ?? ""))
    return refuse(`the value of ${shownVariable(variable)} cannot be sent in a header; it may end with a line break`, [
      ...path,
      "api_key_env",
    ])
  const secrets = [apiKey, ...Object.values(ref.extra_headers ?? {})].filter(
    (value): value is string => value !== undefined && value.length >= shortestSecret,
  )
  const backend: Backend = {
    name: backendName,
    baseUrl: urlIn(ref) ?? module.baseUrl ?? refuse(`provider "${providerId}" has no address of its own`),
    chatPath: ref.chat_path,
    apiVersion: ref.api_version,
    authHeader: ref.auth_header,
    authPrefix: ref.auth_prefix,
    apiKey: apiKey === "" ? undefined : apiKey,
    extraHeaders: ref.extra_headers ?? {},
  }
  return {
    name: backendName,
    weight: ref.weight === undefined || ref.weight === 0 ? 1 : ref.weight,
    priority: ref.priority ?? 0,
    upstreamModel: model.external_model_ids?.[providerId] ?? model.provider_model_id ?? model.name,
    thinkTags: ref.think_tags,
    dialectId: provider.dialect,
    dialect,
    secrets,
    writeReasoning: reasoning?.hostOf(provider, backend.baseUrl)?.write,
    providerId,
    provider: setUpNow({ kind: "provider", id: providerId, source }, () => provider.setup(backend), secrets),
  }
}

/** Stands for the backends of a model that has none. */
export function describedOnly(model: string, { registry }: Pick<CompileOptions, "registry">): TargetBackend {
  const [{ id, module }] = registry.all("dialect") as [RegisteredModule<DialectModule>]
  return {
    name: "none",
    weight: 1,
    priority: 0,
    upstreamModel: model,
    dialectId: id,
    dialect: module,
    secrets: [],
    providerId: "",
    provider: {
      toRequest() {
        throw new RtrError("not_supported", `Cannot call model "${model}": it is only described, without backend_refs`)
      },
    },
  }
}

/** More names tell nobody more. */
const maxListed = 8

/** Why a backend cannot be asked in this format; undefined where it can, and where nothing registered is asked in it. */
export function formatProblem(
  { provider }: BackendRef,
  format: string,
  registry: CompileOptions["registry"],
): string | undefined {
  const id = provider ?? defaultModuleId(registry, "provider") ?? ""
  const having = registry
    .all("provider")
    .flatMap((other) => (other.module.formats?.[format] === undefined ? [] : [other.id]))
  if (having.length === 0 || having.includes(id) || registry.find("provider", id) === undefined) return undefined
  return `provider "${id}" has no api_format "${format}"; providers with it: ${having.slice(0, maxListed).join(", ")}`
}

/** An endpoint without a path serves its API under /v1; any other address is taken as it is. Undefined where the reference has none. */
function urlIn({ base_url: url, endpoint, protocol }: BackendRef): string | undefined {
  const address = (url ?? (endpoint && withScheme(endpoint, protocol)))?.replace(/\/+$/, "")
  return url === undefined && address !== undefined && !/[^:/]\/./.test(address) ? `${address}/v1` : address
}

/** The provider's own variable is for its own address, where the reference says nothing else of the key. */
export function keyVariableOf(ref: BackendRef, { keyVariable, baseUrl }: ProviderModule): string | undefined {
  const { endpoint, base_url: url, api_key: key, api_key_env: variable, extra_headers: headers = {} } = ref
  if (variable !== undefined || baseUrl === undefined) return variable
  const saysKey =
    key !== undefined || Object.keys(headers).some((header) => /^(authorization|.*api-key)$/i.test(header))
  return (endpoint ?? url) === undefined && !saysKey ? keyVariable : undefined
}
