// From a resolved document to a frozen plan: every module is set up, every name becomes an object.

import { isRtrError } from "../error.ts"
import type { Services } from "../modules/capabilities.ts"
import type { Registry } from "../modules/registry.ts"
import type { Plan } from "../types/plan.ts"
import type { ModelFigures } from "../types/selector.ts"
import type { ConfigDocument } from "./document-schema.ts"
import type { Environment } from "./environment.ts"
import { reportInto } from "../schema/problem.ts"
import { createPause } from "../host/work.ts"
import { compileAlgorithm } from "./sections/algorithms.ts"
import { compileDecision } from "./sections/decisions.ts"
import { loadEvaluations } from "./sections/evaluation.ts"
import { compileListener, listenersOf } from "./sections/listeners.ts"
import { compileManagement } from "./sections/management.ts"
import { compileSignalTimeout } from "./sections/model-catalog.ts"
import { compileMetricsEnabled } from "./sections/observability.ts"
import { loadReasoning } from "./sections/reasoning/keys.ts"
import { loadReliability } from "./sections/reliability.ts"
import { compileModels } from "./sections/providers.ts"
import { compileRouter } from "./sections/router.ts"
import { compileSignals } from "./sections/signals.ts"
import { factTypes } from "./signal-use.ts"

export interface CompileOptions {
  /** Models that another plan has compiled. */
  readonly models?: Plan["models"] | undefined
  /** That of the plan. */
  readonly keyOf?: Plan["keyOf"]
  readonly document: ConfigDocument
  /** SHA-256 of the document's bytes, hex. */
  readonly hash: string
  readonly registry: Registry
  readonly environment: Environment
  /** What modules ask for. */
  readonly services: Services
  /** Live figures of a model by name, for selectors. */
  readonly figures: (model: string) => ModelFigures
}

/** What the compilers of sections share. */
export interface CompileContext extends CompileOptions {
  /** Remembers what has to be closed with the plan; `instance` is what a module's setup returned. */
  readonly closing: (name: string, instance: object) => void
}

export interface CompiledPlan {
  readonly plan: Plan
  /** Closes every module instance, the last one first. What fails to close is logged; it never rejects. */
  close(): Promise<void>
}

/** Compiles and warms: vectors of fixed texts are made here. Rejects with an `RtrError`, with the path where one is to blame. */
export async function compilePlan(options: CompileOptions): Promise<CompiledPlan> {
  const instances: { readonly name: string; readonly instance: Closable }[] = []
  const closing = (name: string, instance: object): void => {
    instances.push({ name, instance })
  }
  const close = async (): Promise<void> => {
    for (const { name, instance } of instances.splice(0).toReversed()) {
      try {
        await instance.close?.()
      } catch (error) {
        options.services.log("warning", "module_close_failed", {
          module: name,
          code: isRtrError(error) ? error.code : "internal_error",
        })
      }
    }
  }
  try {
    return { plan: await compile({ ...options, closing }), close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Closable {
  close?(): void | Promise<void>
}

async function compile(context: CompileContext): Promise<Plan> {
  const { document, hash, registry, environment } = context
  const reliability = await loadReliability(document)
  const reasoning = await loadReasoning(document, registry)
  const cardWith = await loadEvaluations(document)
  const models =
    context.models ?? compileModels({ ...context, reasoning }, { reliabilityOf: reliability?.ofModel, cardWith })
  const management = compileManagement(document, environment)
  const signals = await compileSignals(context)
  // One after the other: a failed one leaves nothing behind that is still being set up.
  const decisions: Plan["decisions"][number][] = []
  const pause = createPause()
  for (const [index, decision] of (document.routing?.decisions ?? []).entries()) {
    decisions.push(await compileDecision(decision, index, { ...context, models, signals, reasoning }))
    await pause()
  }
  const defaultName = document.providers?.defaults?.model
  return Object.freeze({
    hash,
    listeners: listenersOf(document).map(compileListener),
    management,
    metricsEnabled: compileMetricsEnabled(document),
    signals,
    factTypes: factTypes(document, registry),
    slotCount: signals.reduce((count, { rules }) => count + rules.length, 0),
    signalTimeoutMs: compileSignalTimeout(document),
    ...compileRouter(document),
    decisions,
    defaultModel: defaultName === undefined ? undefined : models.get(defaultName),
    models,
    ...reliability?.planned({ decisions, models }, context, { compileAlgorithm, reportInto }),
    dialects: new Map(registry.all("dialect").map(({ id, module }) => [id, module])),
  })
}
