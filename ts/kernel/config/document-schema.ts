// The schema of a whole v0.3 document, put together from its sections and the registered modules. It validates documents;
// `rtr config schema` prints it with what is accepted beside it.

import { Type, type Static, type TObject, type TProperties } from "typebox"
import type { AnyModule } from "../types/module.ts"
import type { Registry } from "../modules/registry.ts"
import { literals, section } from "../schema/shapes.ts"
import type { EntrypointEntry, RecipeEntry } from "./recipes/view.ts"
import { decisionSchema } from "./sections/decisions.ts"
import { listenersSchema } from "./sections/listeners.ts"
import { apiSchema, managementSchema } from "./sections/management.ts"
import { evaluationSchema } from "./sections/evaluation.ts"
import { modelCardSchema } from "./sections/model-cards.ts"
import { bindingsSchema, modelCatalogSchema } from "./sections/model-catalog.ts"
import { observabilitySchema } from "./sections/observability.ts"
import { ofRequests } from "./sections/reliability.ts"
import { providersSchema } from "./sections/providers.ts"
import { routerSchema, strategySchema } from "./sections/router.ts"
import { signalsSchema } from "./sections/signals.ts"
import { storesSchema } from "./sections/stores.ts"

export interface ConfigDocument extends Static<ReturnType<typeof documentSchema>> {
  readonly entrypoints?: readonly EntrypointEntry[]
  readonly recipes?: readonly RecipeEntry[]
}

/** `further` are sections whose schema loads with the first document that has them. */
export function documentSchema(registry: Registry, further?: TProperties) {
  return section(
    {
      version: literals(["v0.3"]),
      modules: Type.Optional(
        Type.Array(Type.String({ minLength: 1 }), {
          description: "Outside modules: package names, or files relative to this document",
        }),
      ),
      listeners: Type.Optional(listenersSchema),
      providers: Type.Optional(providersSchema(registry)),
      routing: Type.Optional(withSections(routingSchema(registry), registry, "routing")),
      global: Type.Optional(withSections(globalSchema(registry), registry, "settings")),
      evaluation: Type.Optional(evaluationSchema),
      ...(further as object),
    },
    { description: "Canonical rtr configuration, version v0.3" },
  )
}

function routingSchema(registry: Registry) {
  return section({
    modelCards: Type.Optional(Type.Array(modelCardSchema)),
    signals: Type.Optional(signalsSchema(registry)),
    decisions: Type.Optional(Type.Array(decisionSchema(registry))),
    strategy: Type.Optional(strategySchema),
    ...ofRequests,
    model_bindings: bindingsSchema,
  })
}

function globalSchema(registry: Registry) {
  return section({
    router: Type.Optional(routerSchema),
    services: Type.Optional(
      section({
        api: Type.Optional(apiSchema),
        management_api: Type.Optional(managementSchema),
        observability: Type.Optional(observabilitySchema),
      }),
    ),
    stores: Type.Optional(storesSchema(registry)),
    model_catalog: Type.Optional(modelCatalogSchema),
  })
}

/** Puts the settings, or the `routing` sections, of modules where their `path` says. */
function withSections<Parent extends TObject>(schema: Parent, registry: Registry, key: "settings" | "routing"): Parent {
  const modules: readonly AnyModule[] = [
    ...registry.all("signal"),
    ...registry.all("selector"),
    ...registry.all("looper"),
    ...registry.all("route"),
  ].map(({ module }) => module)
  return modules.reduce<TObject>((parent, module) => {
    const part = (module as Partial<Record<typeof key, Planted>>)[key]
    return part === undefined ? parent : plant(parent, part.path, part.schema)
  }, schema) as Parent
}

interface Planted {
  readonly path: readonly string[]
  readonly schema: TObject
}

/** A section with another one at a path below it; those on the way are made or kept. */
function plant(parent: TObject, path: readonly string[], schema: TObject): TObject {
  const [step = "", ...rest] = path
  const inside = (parent.properties[step] as TObject | undefined) ?? section({})
  const planted = rest.length === 0 ? schema : plant(inside, rest, schema)
  const { description } = parent as { readonly description?: string }
  return section(
    { ...parent.properties, [step]: Type.Optional(planted) },
    description === undefined ? {} : { description },
  )
}
