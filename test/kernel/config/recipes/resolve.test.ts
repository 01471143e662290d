import { expect, test } from "vitest"
import { resolveRecipes } from "../../../../ts/kernel/config/recipes/resolve.ts"
import { resolveDocument } from "../../../../ts/kernel/config/resolve.ts"
import { autoNamesOf } from "../../../../ts/kernel/config/sections/router.ts"
import { wrapDocument } from "../../../../ts/kernel/config/source-document.ts"
import type { Registry } from "../../../../ts/kernel/modules/registry.ts"
import { documentWith } from "../../../fakes/document.ts"
import { registry } from "../../../fakes/registry.ts"

/** How often the options of a plugin are read for a document with so many recipes, and how often others get a turn. */
async function readsFor(recipes: number): Promise<{ readonly reads: number; readonly pauses: number }> {
  let reads = 0
  let pauses = 0
  const [first, ...others] = registry.all("plugin")
  if (first === undefined) throw new Error("there is no plugin")
  const { options } = first.module
  const counting = {
    ...first,
    module: {
      ...first.module,
      get options() {
        reads += 1
        return options
      },
    },
  }
  const counted = {
    ...registry,
    all: (kind: never) => (kind === "plugin" ? [counting, ...others] : registry.all(kind)),
  } as Registry
  const document = documentWith({
    recipes: Array.from({ length: recipes }, (_, index) => ({
      name: `recipe-${index}`,
      routing: { decisions: [{ name: "a", modelRefs: [{ model: "small" }] }] },
    })),
  })
  const createPause = () => async () => void (pauses += 1)
  const resolved = await resolveRecipes(
    wrapDocument(document),
    { source: "config.yaml", registry: counted, environment: {} },
    { resolveDocument, autoNamesOf, createPause },
  )
  expect(resolved.document.recipes).toHaveLength(recipes)
  return { reads, pauses }
}

test("the schema is made once for all recipes, and others get a turn behind each", async () => {
  const { reads } = await readsFor(1)
  expect(reads).toBeGreaterThan(0)
  expect(await readsFor(10)).toEqual({ reads, pauses: 10 })
})
