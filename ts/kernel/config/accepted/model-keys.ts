// Data: keys that say of models what other documents keep elsewhere. They are written out before the document is checked.

import { Type } from "typebox"
import { checkCatalog } from "./catalogue.ts"
import { benchmarksSchema, checkBenchmarks, checkIndices, indicesSchema } from "./indices.ts"
import type { MissingSection } from "./missing-sections.ts"

const data = { without: "", isStrict: true, isData: true } as const

export const modelKeys: readonly MissingSection[] = [
  { ...data, path: "providers.models.*.catalog", schema: Type.String(), check: checkCatalog },
  { ...data, path: "evaluation.benchmarks", schema: benchmarksSchema, check: checkBenchmarks },
  { ...data, path: "evaluation.indices", schema: indicesSchema, check: checkIndices },
]
