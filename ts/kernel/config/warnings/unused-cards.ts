// Model cards that describe no model.

import { invalid, type Problem, suggestion } from "../../schema/problem.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { modelEntries } from "../sections/model-cards.ts"

/** A warning for each card whose name no model has. */
export function unusedCards(document: ConfigDocument): readonly Problem[] {
  const known = new Set(modelEntries(document).map(({ name }) => name))
  return (document.routing?.modelCards ?? []).flatMap(({ name }, index) =>
    known.has(name)
      ? []
      : [
          invalid(
            ["routing", "modelCards", index, "name"],
            `has no effect: "${name}" is not in providers.models${suggestion(name, known)}`,
          ),
        ],
  )
}
