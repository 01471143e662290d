// `providers`: the models that can be called and where their backends are.

import { Type, type Static } from "typebox"
import { literals, name, section } from "../../schema/shapes.ts"

const price = Type.Number({ minimum: 0 })

export type ProvidersSection = Static<ReturnType<typeof providersSchema>>
export type ProviderModel = NonNullable<ProvidersSection["models"]>[number]
export type BackendRef = NonNullable<ProviderModel["backend_refs"]>[number]

const reasoningFamily = section({
  type: literals(["chat_template_kwargs", "reasoning_effort", "top_level_reasoning_effort"]),
  parameter: name,
})

const defaults = section({
  model: Type.Optional(Type.String({ description: "Answers when no decision matches" })),
  reasoning_families: Type.Optional(Type.Record(Type.String(), reasoningFamily)),
  reasoning_effort: Type.Optional(name),
})

const pricing = section({
  currency: Type.Optional(name),
  prompt_per_1m: Type.Optional(price),
  completion_per_1m: Type.Optional(price),
  cached_input_per_1m: Type.Optional(price),
})

/** Schema of `providers`; `providerIds` are the registered provider modules. */
export function providersSchema(providerIds: readonly string[]) {
  const backendRef = section({
    name: Type.Optional(name),
    endpoint: Type.Optional(
      Type.String({ minLength: 1, description: "host[:port]; requests go to /v1/chat/completions there" }),
    ),
    protocol: Type.Optional(literals(["http", "https"])),
    weight: Type.Optional(Type.Integer({ minimum: 0, description: "Share of the requests; 0 counts as 1" })),
    base_url: Type.Optional(
      Type.String({ pattern: "^https?://", description: "Instead of endpoint; may carry a path" }),
    ),
    provider: Type.Optional(literals(providerIds, { description: "Provider family: headers and path" })),
    auth_header: Type.Optional(name),
    auth_prefix: Type.Optional(Type.String()),
    extra_headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    api_version: Type.Optional(Type.String()),
    chat_path: Type.Optional(Type.String({ pattern: "^/" })),
    api_key: Type.Optional(Type.String()),
    api_key_env: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z_][A-Za-z0-9_]*$",
        description: "Name of the environment variable that holds the key",
      }),
    ),
  })
  const model = section({
    name,
    provider_model_id: Type.Optional(name),
    external_model_ids: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Model id by provider family; wins over provider_model_id",
      }),
    ),
    reasoning_family: Type.Optional(name),
    api_format: Type.Optional(literals(["openai"])),
    pricing: Type.Optional(pricing),
    backend_refs: Type.Optional(Type.Array(backendRef)),
  })
  return section({ defaults: Type.Optional(defaults), models: Type.Optional(Type.Array(model)) })
}
