// `routing.decisions[].algorithm`: the selector or looper that a decision chooses with.

import { Type, type TProperties, type TUnsafe } from "typebox"
import { type DocumentPath, RtrError } from "../../error.ts"
import { grantSetup } from "../../modules/capabilities.ts"
import type { Registry } from "../../modules/registry.ts"
import { setUp } from "../../modules/set-up.ts"
import { type Problem, reportInto } from "../../schema/problem.ts"
import { section, taggedUnion } from "../../schema/shapes.ts"
import { valueAt } from "../../schema/value-at.ts"
import type { LooperSurroundings } from "../../types/looper.ts"
import type { PlannedCandidate, PlannedDecision } from "../../types/plan.ts"
import type { CompileContext } from "../compile.ts"
import { defaultModuleId, requireDefaultModule } from "../default-modules.ts"

export type AlgorithmEntry = Readonly<Record<string, unknown>> & { readonly type: string }

/** One variant for each selector and looper; its options stand in the block of its name. */
export function algorithmSchema(registry: Registry): TUnsafe<AlgorithmEntry> {
  const variants = [...registry.all("selector"), ...registry.all("looper")].map(({ id, module }) => {
    const { options } = module
    // Options that must be said make the block one that must be there.
    const block: TProperties =
      options === undefined ? {} : { [id]: (options.required ?? []).length > 0 ? options : Type.Optional(options) }
    const beside = "keys" in module ? module.keys?.algorithm : undefined
    return section({ type: Type.Literal(id), ...block, ...beside }, { description: module.about })
  })
  return taggedUnion<AlgorithmEntry>("type", variants)
}

/** The algorithm said aloud: the default selector when the decision names none. */
export function canonicalAlgorithm(
  algorithm: AlgorithmEntry | undefined,
  registry: Registry,
): AlgorithmEntry | undefined {
  const type = defaultModuleId(registry, "selector")
  return algorithm ?? (type === undefined ? undefined : { type })
}

/** The algorithm of a decision, and the keys beside it that loopers bring. */
export function checkAlgorithm(
  decision: { readonly algorithm?: AlgorithmEntry },
  at: DocumentPath,
  registry: Registry,
  surroundings: LooperSurroundings,
): readonly Problem[] {
  const { algorithm } = decision
  const problems: Problem[] = []
  const looper = algorithm && registry.find("looper", algorithm.type)
  const { keys } = (looper ?? registry.all("looper")[0])?.module ?? {}
  keys?.check(decision, reportInto(problems, at), looper !== undefined)
  if (algorithm === undefined) return problems
  const { type } = algorithm
  const found = registry.find("selector", type) ?? looper
  found?.module.check?.(blockOf(algorithm), reportInto(problems, [...at, "algorithm", type]), surroundings)
  return problems
}

const blockOf = (algorithm: AlgorithmEntry): object => (algorithm[algorithm.type] ?? {}) as object

/** Sets up what chooses between the candidates. A selector is left out where there is nothing to choose. */
export async function compileAlgorithm(
  input: {
    readonly decision: string
    readonly algorithm: AlgorithmEntry | undefined
    readonly candidates: readonly PlannedCandidate[]
    readonly path: DocumentPath
    /** The decision as the document has it. */
    readonly entry: object
  },
  context: CompileContext,
): Promise<Pick<PlannedDecision, "algorithm" | "selector" | "looper">> {
  const { registry, services } = context
  const { decision, candidates, path } = input
  const algorithm = input.algorithm ?? { type: requireDefaultModule(registry, "selector") }
  const { type } = algorithm
  const options = blockOf(algorithm) as never
  const registered = registry.find("selector", type)
  if (registered !== undefined) {
    const { id, source, module: selector } = registered
    if (candidates.length < 2) return { algorithm: type, selector: undefined, looper: undefined }
    const name = `selector:${type}`
    const granted = grantSetup(selector.needs ?? [], services, { name })
    const reader = await setUp({ kind: "selector", id, source }, () =>
      selector.setup(options, { decision, candidates, figures: context.figures, ...granted }),
    )
    context.closing(name, reader)
    return { algorithm: type, selector: reader, looper: undefined }
  }
  const found = registry.find("looper", type)
  if (found === undefined)
    throw new RtrError("invalid_config", `There is no selector or looper "${type}"`, { path: [...path, "type"] })
  const { compileLooper } = await import("./looper.ts")
  return compileLooper({ ...input, algorithm, options }, found, context, { grantSetup, setUp, valueAt })
}
