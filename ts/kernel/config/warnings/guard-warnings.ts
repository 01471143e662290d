// Guards that stop nothing, and listeners that let clients go around guards.

import { signalConditionType, signalConfigKey, type Registry } from "../../modules/registry.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { guardUses, guardUsesOf, type LoadedGuards } from "../sections/guard-use.ts"
import { listenersOf } from "../sections/listeners.ts"
import { callableModels } from "../sections/model-cards.ts"
import { autoNamesOf } from "../sections/router.ts"
import { rulesOf, typesReadByPlugins } from "../signal-use.ts"

/** Rules of guards for requests that no decision asks for, and no plugin reads. */
export function unusedGuards(document: ConfigDocument, registry: Registry): readonly Problem[] {
  const uses = guardUsesOf(document, registry)
  const readByPlugins = new Set(typesReadByPlugins(document, registry))
  return registry
    .all("signal")
    .filter(({ module }) => module.guard === true && module.routing === undefined)
    .flatMap((registered) => {
      const guard = signalConditionType(registered.id, registered.module)
      if (readByPlugins.has(guard)) return []
      const all = rulesOf(registered, document)
      return rulesOf(registered, document, true).flatMap((rule): readonly Problem[] => {
        if (uses.some((use) => use.guard === guard && use.rule === rule.name)) return []
        const at = ["routing", "signals", signalConfigKey(registered.id, registered.module), all.indexOf(rule)]
        const condition = `{ type: ${guard}, name: ${rule.name} }`
        return [invalid(at, `stops nothing: no decision asks for it; write a decision with rules: ${condition}`)]
      })
    })
}

/** Listeners on which a client may name a model, where the document has guards in use: such a request passes no decision. */
export function openListeners(loaded: LoadedGuards): readonly Problem[] {
  const { document } = loaded
  const callable = callableModels(document)
  if (callable.size === 0 || guardUses(loaded).length === 0) return []
  return listenersOf(document).flatMap(({ name, models }, index) => {
    const named = models?.find((each) => callable.has(each))
    if (models !== undefined && named === undefined) return []
    const which = named === undefined ? "any model" : `"${named}"`
    const routed = models?.filter((each) => !callable.has(each)) ?? []
    const instead = routed.length > 0 ? routed : [...autoNamesOf(document).slice(0, 1), ...entrypointNames(document)]
    return [
      invalid(
        ["listeners", index, "models"],
        `lets clients of "${name}" name ${which}, and a request that names its model passes no decision and no guard; models: [${instead.join(", ")}] forbids it`,
      ),
    ]
  })
}

const entrypointNames = ({ entrypoints = [] }: ConfigDocument): readonly string[] =>
  entrypoints.flatMap(({ model_names: names }) => names)
