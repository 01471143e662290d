// `global.router`: the names and order of automatic routing.

import { Type } from "typebox"
import { invalid, type Problem } from "../../schema/problem.ts"
import { literals, name, section } from "../../schema/shapes.ts"
import type { Plan } from "../../types/plan.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { ofRequests } from "./reliability.ts"

/** `routing.strategy` is of the same words and wins. */
export const strategySchema = literals(["priority", "confidence"])

export const routerSchema = section({
  config_source: Type.Optional(literals(["file"])),
  strategy: Type.Optional(strategySchema),
  auto_model_name: Type.Optional(name),
  auto_model_names: Type.Optional(Type.Array(name)),
  include_config_models_in_list: Type.Optional(Type.Boolean()),
  fallback: ofRequests.fallback,
})

const mainName = "MoM"
/** Names that mean automatic routing when the document does not replace them. */
const otherNames = ["auto", "rtr/auto"]

export function compileRouter(document: ConfigDocument): Pick<Plan, "strategy" | "autoNames" | "listConfiguredModels"> {
  const router = document.global?.router
  return {
    strategy: strategyOf(document),
    autoNames: autoNamesOf(document),
    listConfiguredModels: router?.include_config_models_in_list ?? true,
  }
}

export const strategyOf = ({ routing, global }: ConfigDocument): Plan["strategy"] =>
  routing?.strategy ?? global?.router?.strategy ?? "priority"

/** Models that no client can name, because a request for that name is routed. */
export function checkRouter(document: ConfigDocument): readonly Problem[] {
  const automatic = new Set(autoNamesOf(document))
  return (document.providers?.models ?? []).flatMap(({ name: model }, index): readonly Problem[] =>
    automatic.has(model)
      ? [
          {
            ...invalid(
              ["providers", "models", index, "name"],
              `"${model}" is a name of automatic routing, too, so that no client can name this model; choose another name, or other names in global.router.auto_model_name and auto_model_names`,
            ),
            severity: "warning",
          },
        ]
      : [],
  )
}

/** In the order of the model list. */
export function autoNamesOf({ global }: ConfigDocument): readonly string[] {
  const { auto_model_name: main = mainName, auto_model_names: others = otherNames } = global?.router ?? {}
  return [...new Set([main, ...others])]
}
