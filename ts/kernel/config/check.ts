// Everything that a schema cannot check: names are unique, what refers to a name finds it, and parts fit each other.

import type { Registry } from "../modules/registry.ts"
import type { Problem } from "../schema/problem.ts"
import type { Work } from "../host/work.ts"
import { valueAt } from "../schema/value-at.ts"
import type { ReadDocumentFile } from "../types/signal.ts"
import type { ConfigDocument } from "./document-schema.ts"
import { checkOwnAddresses } from "./listeners/own-address.ts"
import { addLater, type LaterProblems, moduleProblems } from "./module-problems.ts"
import type { ReadHeads } from "./package-heads.ts"
import { loopersIn } from "./sections/algorithms.ts"
import { checkDecisions } from "./sections/decisions.ts"
import { checkListeners } from "./sections/listeners.ts"
import { checkManagement } from "./sections/management.ts"
import { checkModelCards } from "./sections/model-cards.ts"
import { checkCatalog, checkHeads, readPackages } from "./sections/model-catalog.ts"
import { loadReasoning, usesReasoning } from "./sections/reasoning/keys.ts"
import { loadReliability, usesReliability } from "./sections/reliability.ts"
import { checkProviders } from "./sections/providers.ts"
import { checkRouter } from "./sections/router.ts"
import { checkSignals } from "./sections/signals.ts"
import { checkStores } from "./sections/stores.ts"

export interface CheckOptions {
  readonly readHeads?: ReadHeads | undefined
  readonly later?: LaterProblems
  readonly readFile?: ReadDocumentFile | undefined
}

/** Problems between parts of a document that fits its schema, and between it and the packages that `readHeads` knows. */
export function* checkDocument(
  document: ConfigDocument,
  registry: Registry,
  { readHeads = () => undefined, later = [], readFile }: CheckOptions = {},
): Work<readonly Problem[]> {
  const packages = readPackages(document, readHeads)
  if (usesReliability(document))
    addLater(
      later,
      loadReliability(document).then((plan) => plan?.check(registry) ?? []),
    )
  if (usesReasoning(document))
    addLater(
      later,
      loadReasoning(document, registry).then((plan) => plan?.check() ?? []),
    )
  yield
  return [
    ...checkListeners(
      document,
      loopersIn(document, registry).flatMap(({ names }) => names),
    ),
    ...checkProviders(document, registry),
    ...checkOwnAddresses(document, registry),
    ...checkModelCards(document),
    ...checkRouter(document),
    ...checkSignals(document, registry, packages.heads, later, readFile),
    ...(yield* checkDecisions(document, registry, later)),
    ...checkManagement(document),
    ...checkStores(document, registry, later),
    ...checkSettings(document, registry, later),
    ...checkCatalog(document, registry),
    ...packages.problems,
    ...checkHeads(document, registry, packages.heads),
  ]
}

function checkSettings({ global }: ConfigDocument, registry: Registry, later: LaterProblems): readonly Problem[] {
  // Modules that share settings share their check.
  const byCheck = new Map(
    [...registry.all("selector"), ...registry.all("route")].map((each) => [each.module.settings?.check, each]),
  )
  return [...byCheck].flatMap(([check, registered]) => {
    const at = registered.module.settings?.path ?? []
    const section = valueAt(global, at)
    return check === undefined || section === undefined
      ? []
      : moduleProblems(registered, ["global", ...at], later, (report) => check(section as never, report))
  })
}
