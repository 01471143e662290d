// `global`: router behaviour, services and the model catalogue. Signals bring the sections of their own models.

import { Type, type Static, type TObject, type TProperties } from "typebox"
import type { Registry } from "../../modules/registry.ts"
import { literals, name, port, section } from "../../schema/shapes.ts"

export type GlobalSection = Static<ReturnType<typeof baseSchema>>
export type Deployment = Static<typeof deployment>
export type Binding = Static<typeof binding>

const deployment = section({
  provider: Type.Optional(literals(["model_runtime"])),
  artifact: Type.Optional(
    Type.String({ minLength: 1, description: "Built-in package name or absolute folder of a package" }),
  ),
  device: Type.Optional(
    Type.String({
      pattern: "^(auto|cpu|cuda(:[0-9]+)?)$",
      description: "auto, cpu, cuda or cuda:N",
      examples: ["auto", "cpu", "cuda", "cuda:0"],
    }),
  ),
  profile: Type.Optional(literals(["exact", "batching", "shared_context", "max_speed"])),
  input: Type.Optional(
    section({
      max_tokens: Type.Optional(Type.Integer({ minimum: 1 })),
      overflow: Type.Optional(literals(["truncate", "reject"])),
    }),
  ),
  process: Type.Optional(
    Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$",
      description: "Deployments that name the same process share it",
    }),
  ),
  endpoint: Type.Optional(
    Type.String({
      pattern: "^(https?|unix)://",
      description: "Worker that the operator runs; it is attached, not started",
    }),
  ),
  served_name: Type.Optional(name),
})

/** What a binding may say of its model: one class of several, parts of the text, or a vector. */
export const bindingContracts = ["label_distribution.v1", "token_spans.v1", "embedding.v1"] as const

const binding = section({
  deployment: name,
  contract: Type.Optional(literals(bindingContracts)),
  head: Type.Optional(name),
})

/** Schema of `global`; the settings of signals stand where their `path` says. */
export function globalSchema(registry: Registry): ReturnType<typeof baseSchema> {
  const schema = baseSchema()
  for (const { module } of registry.all("signal")) {
    if (module.settings !== undefined) plant(schema.properties, module.settings.path, module.settings.schema as TObject)
  }
  return schema
}

function baseSchema() {
  return section({
    router: Type.Optional(
      section({
        config_source: Type.Optional(literals(["file"])),
        strategy: Type.Optional(literals(["priority", "confidence"])),
        auto_model_name: Type.Optional(name),
        auto_model_names: Type.Optional(Type.Array(name)),
        include_config_models_in_list: Type.Optional(Type.Boolean()),
      }),
    ),
    services: Type.Optional(
      section({
        api: Type.Optional(
          section({
            routing_preview: Type.Optional(
              section({
                request_timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 3600 })),
                max_concurrency: Type.Optional(Type.Integer({ minimum: 1 })),
              }),
            ),
          }),
        ),
        management_api: Type.Optional(
          section({
            bind_address: Type.Optional(literals(["127.0.0.1", "localhost", "::1"], { description: "Loopback only" })),
            port: Type.Optional(port),
          }),
        ),
        observability: Type.Optional(
          section({ metrics: Type.Optional(section({ enabled: Type.Optional(Type.Boolean()) })) }),
        ),
      }),
    ),
    model_catalog: Type.Optional(
      section({
        // Timers hold 31 bits and fire at once when given more.
        signal_timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
        deployments: Type.Optional(
          Type.Record(Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$" }), deployment, {
            additionalProperties: false,
          }),
        ),
        bindings: Type.Optional(Type.Record(Type.String(), binding)),
      }),
    ),
  })
}

/** Puts a section at a path below `properties`; sections on the way are made or shared. */
function plant(properties: TProperties, path: readonly string[], schema: TObject): void {
  const [step = "", ...rest] = path
  if (rest.length === 0) {
    properties[step] = Type.Optional(schema)
    return
  }
  properties[step] ??= Type.Optional(section({}))
  plant((properties[step] as TObject).properties, rest, schema)
}
