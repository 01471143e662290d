// `routing.decisions[].algorithm`: the selector or looper that a decision chooses with.

import { Type, type TProperties, type TUnsafe } from "typebox"
import { type DocumentPath, RtrError } from "../../error.ts"
import { grantedQuestions, grantSetup } from "../../modules/capabilities.ts"
import type { Registry } from "../../modules/registry.ts"
import { setUp } from "../../modules/set-up.ts"
import { type Problem, reportInto } from "../../schema/problem.ts"
import { literals, section, taggedUnion } from "../../schema/shapes.ts"
import { valueAt } from "../../schema/value-at.ts"
import type { PlannedCandidate, PlannedDecision } from "../../types/plan.ts"
import { selectorTarget } from "../bindings.ts"
import type { CompileContext } from "../compile.ts"
import { defaultModuleId, requireDefaultModule } from "../default-modules.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { addLater, type LaterProblems, moduleProblems } from "../module-problems.ts"
import type { ModelRef } from "./decisions.ts"
import { compileSignalTimeout } from "./model-catalog.ts"

export type AlgorithmEntry = Readonly<Record<string, unknown>> & { readonly type: string }

/** One variant for each selector and looper; its options stand in the block of its name. */
export function algorithmSchema(registry: Registry): TUnsafe<AlgorithmEntry> {
  const variants = [...registry.all("selector"), ...registry.all("looper")].map(({ id, module }) => {
    const { options } = module
    // Options that must be said make the block one that must be there.
    const block: TProperties =
      options === undefined ? {} : { [id]: (options.required ?? []).length > 0 ? options : Type.Optional(options) }
    const beside = module.kind === "looper" ? registry.looperKeys?.algorithm : selectorKeys
    return section({ type: Type.Literal(id), ...block, ...beside }, { description: module.about })
  })
  return taggedUnion<AlgorithmEntry>("type", variants)
}

const selectorKeys = {
  minimum_candidates: Type.Optional(Type.Integer({ minimum: 1 })),
  on_error: Type.Optional(literals(["", "skip", "fallback", "fail"])),
}

/** The algorithm said aloud: the default selector when the decision names none. */
export function canonicalAlgorithm(
  algorithm: AlgorithmEntry | undefined,
  registry: Registry,
): AlgorithmEntry | undefined {
  const type = defaultModuleId(registry, "selector")
  return algorithm ?? (type === undefined ? undefined : { type })
}

/** The algorithm of a decision, and the keys beside it that loopers have. */
export function checkAlgorithm(
  decision: { readonly algorithm?: AlgorithmEntry; readonly modelRefs?: readonly ModelRef[] },
  at: DocumentPath,
  {
    document,
    registry,
    later,
    models,
  }: {
    readonly document: ConfigDocument
    readonly registry: Registry
    readonly later: LaterProblems
    readonly models: ReadonlySet<string>
  },
): readonly Problem[] {
  const { algorithm, modelRefs = [] } = decision
  const problems: Problem[] = []
  const looper = algorithm && registry.find("looper", algorithm.type)
  registry.looperKeys?.check(decision, reportInto(problems, at), looper !== undefined)
  if (algorithm === undefined) return problems
  const { type } = algorithm
  const selector = registry.find("selector", type)
  const candidates = modelRefs.map(({ model, lora_name: lora }) => lora ?? model)
  const found = selector ?? looper
  const blockAt = [...at, "algorithm", type]
  if (found !== undefined)
    problems.push(
      ...moduleProblems(found, blockAt, later, (report) =>
        found.module.check?.(blockOf(algorithm), report, { document, modelRefs, candidates, models }),
      ),
    )
  if (selector !== undefined && ("minimum_candidates" in algorithm || "on_error" in algorithm)) {
    const more: Problem[] = []
    addLater(
      later,
      import("../accepted/selector-keys.ts").then(({ checkSelectorKeys }) => {
        checkSelectorKeys(
          algorithm,
          modelRefs.map(({ model }) => model),
          reportInto(more, [...at, "algorithm"]),
        )
        return more
      }),
    )
  }
  return problems
}

/** The loopers of the document's decisions, each with the names by which clients ask for it. */
export function loopersIn(
  { routing, global }: ConfigDocument,
  registry: Registry,
): readonly { readonly id: string; readonly names: readonly string[] }[] {
  return registry.all("looper").flatMap(({ id, module: { modelNames, settings } }) => {
    const own = settings && modelNames && valueAt(global, [...settings.path, modelNames.key, "model_names"])
    const isUsed = routing?.decisions?.some(({ algorithm }) => algorithm?.type === id) === true
    return isUsed && modelNames !== undefined
      ? [{ id, names: (own as readonly string[] | undefined) ?? modelNames.names }]
      : []
  })
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
): Promise<Pick<PlannedDecision, "algorithm" | "selector" | "asking" | "looper">> {
  const { registry, services, document, figures } = context
  const { decision, candidates, path } = input
  const algorithm = input.algorithm ?? { type: requireDefaultModule(registry, "selector") }
  const { type } = algorithm
  const options = blockOf(algorithm) as never
  const registered = registry.find("selector", type)
  if (registered !== undefined) {
    const { id, source, module: selector } = registered
    if (candidates.length < 2) return { algorithm: type, selector: undefined, looper: undefined }
    const name = `selector:${type}`
    const { needs = [], callsModels, settings: own } = selector
    const target = selectorTarget(algorithm, registry, document)
    const granted = grantSetup(needs, services, { name, vectors: target?.deployment })
    const settings = (own && valueAt(document.global, own.path)) ?? {}
    const reader = await setUp({ kind: "selector", id, source }, () =>
      selector.setup(options, { decision, candidates, figures, settings, ...granted } as never),
    )
    context.closing(name, reader)
    const asking = (callsModels || target) && {
      target,
      questions: grantedQuestions(needs, { name }),
      timeoutMs: compileSignalTimeout(document),
      callsModels,
    }
    return { algorithm: type, selector: reader, ...(asking && { asking }), looper: undefined }
  }
  const found = registry.find("looper", type)
  if (found === undefined)
    throw new RtrError("invalid_config", `There is no selector or looper "${type}"`, { path: [...path, "type"] })
  const { compileLooper } = await import("./looper.ts")
  return compileLooper({ ...input, algorithm, options }, found, context, { grantSetup, setUp, valueAt, loopersIn })
}
