// What `rtr config validate` and the start warn of, beside what reading the document finds.

import type { Problem } from "../../schema/problem.ts"
import { inRecipe, profilesOf } from "../recipes/view.ts"
import type { LoadedGuards } from "../sections/guard-use.ts"
import { foreignReferences } from "./foreign-references.ts"
import { openListeners, unusedGuards } from "./guard-warnings.ts"
import { listenerWarnings } from "./listener-warnings.ts"
import { unmatchedRequests } from "./unmatched-requests.ts"
import { unreachableDecisions } from "./unreachable-decisions.ts"
import { unusedCards } from "./unused-cards.ts"

/**
 * Guards that stop nothing and ways around the others, decisions that nothing chooses and requests that none matches, listeners
 * that let in everybody or nobody, cards of no model, and keys that are references of another router. A host that does not listen itself has none of listeners.
 */
export const documentWarnings = (
  loaded: LoadedGuards,
  { listens = true }: { readonly listens?: boolean } = {},
): readonly Problem[] => [
  ...profilesOf(loaded.document).flatMap((profile, index) =>
    [
      ...unusedGuards(profile, loaded.registry),
      ...unreachableDecisions(profile, loaded.registry),
      ...unmatchedRequests(profile, loaded.registry),
    ].map((problem) => (index === 0 ? problem : { ...problem, path: inRecipe(problem.path, index - 1) })),
  ),
  ...openListeners(loaded),
  ...(listens ? listenerWarnings(loaded.document) : []),
  ...unusedCards(loaded.document),
  ...foreignReferences(loaded.document),
]
