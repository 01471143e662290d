// Which model deployments a document needs.

import { type Registry, signalConditionType } from "../modules/registry.ts"
import { type BoundHead, boundHeads } from "./bound-heads.ts"
import { usedConditionTypes } from "./compile-signals.ts"
import { findBinding, usedBindings } from "./consumers.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { Deployment } from "./schema/global.ts"
import { defaultDeployment, starterDeployment } from "./starter.ts"

export interface NeededDeployment extends Deployment {
  readonly name: string
  /** Heads that bindings ask of it; what only its worker can tell is compared when it answers. */
  readonly heads?: readonly BoundHead[]
}

/** Declared deployments, and the starter one when a signal in use has no binding of its own. */
export function neededDeployments(document: ConfigDocument, registry: Registry): readonly NeededDeployment[] {
  const catalog = document.global?.model_catalog
  const declared = Object.entries(catalog?.deployments ?? {}).map(([name, deployment]) => ({ ...deployment, name }))
  const used = usedConditionTypes(document)
  const wantsStarter = registry.all("signal").some((registered) => {
    if (!used.has(signalConditionType(registered.id, registered.module))) return false
    const { reading, vectors } = usedBindings(registered, document)
    return [reading, vectors].some(
      (name) => name !== undefined && findBinding(name, document)?.deployment === defaultDeployment,
    )
  })
  const starterDeclared = declared.some(({ name }) => name === defaultDeployment)
  const needed =
    wantsStarter && !starterDeclared ? [...declared, { ...starterDeployment, name: defaultDeployment }] : declared
  const bound = boundHeads(document, registry)
  return needed.map((deployment) => {
    const heads = bound.filter((each) => each.deployment === deployment.name)
    return heads.length === 0 ? deployment : { ...deployment, heads }
  })
}
