// Everything that a schema cannot check: names are unique, what refers to a name finds it, and parts fit each other.

import type { Registry } from "../modules/registry.ts"
import { runCheck } from "../modules/set-up.ts"
import { type Problem, reportInto } from "../schema/problem.ts"
import { valueAt } from "../schema/value-at.ts"
import type { ReadDocumentFile } from "../types/signal.ts"
import type { ConfigDocument } from "./document-schema.ts"
import type { LaterProblems } from "./later-problems.ts"
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
import { checkSignals } from "./sections/signals.ts"
import { checkStores } from "./sections/stores.ts"

/** Problems between parts of a document that fits its schema, and between it and the packages that `readHeads` knows. */
export function checkDocument(
  document: ConfigDocument,
  registry: Registry,
  readHeads: ReadHeads = () => undefined,
  later: LaterProblems = [],
  readFile?: ReadDocumentFile,
): readonly Problem[] {
  const packages = readPackages(document, readHeads)
  if (usesReliability(document)) later.push(loadReliability(document).then((plan) => plan?.check(registry) ?? []))
  if (usesReasoning(document)) later.push(loadReasoning(document, registry).then((plan) => plan?.check() ?? []))
  return [
    ...checkListeners(
      document,
      loopersIn(document, registry).flatMap(({ names }) => names),
    ),
    ...checkProviders(document, registry),
    ...checkModelCards(document),
    ...checkSignals(document, registry, packages.heads, later, readFile),
    ...checkDecisions(document, registry, later),
    ...checkManagement(document),
    ...checkStores(document, registry),
    ...checkSettings(document, registry),
    ...checkCatalog(document, registry),
    ...packages.problems,
    ...checkHeads(document, registry, packages.heads),
  ]
}

function checkSettings({ global }: ConfigDocument, registry: Registry): readonly Problem[] {
  const problems: Problem[] = []
  // Modules that share settings share their check.
  const byCheck = new Map(
    [...registry.all("selector"), ...registry.all("route")].map((each) => [each.module.settings?.check, each]),
  )
  for (const [check, registered] of byCheck) {
    const at = registered.module.settings?.path ?? []
    const section = valueAt(global, at)
    if (check !== undefined && section !== undefined)
      void runCheck(registered, ["global", ...at], () =>
        check(section as never, reportInto(problems, ["global", ...at])),
      )
  }
  return problems
}
