// `routing.decisions[]`: rules, candidates, and what chooses between them.

import { Type, type Static } from "typebox"
import type { DocumentPath } from "../../error.ts"
import { type Registry, signalConditionType } from "../../modules/registry.ts"
import { invalid, type Problem, reportInto, suggestion } from "../../schema/problem.ts"
import { name, section } from "../../schema/shapes.ts"
import type { Work } from "../../host/work.ts"
import type { UnknownPolicy } from "../../types/call.ts"
import type { ModelTarget, PlannedCandidate, PlannedDecision, PlannedSignal } from "../../types/plan.ts"
import type { CompileContext } from "../compile.ts"
import type { ConfigDocument } from "../document-schema.ts"
import { duplicates } from "../duplicates.ts"
import { type LaterProblems, moduleProblems } from "../module-problems.ts"
import { describedOnly } from "./backends.ts"
import { algorithmSchema, canonicalAlgorithm, checkAlgorithm, compileAlgorithm } from "./algorithms.ts"
import { callableModels, cardOf, lorasOf } from "./model-cards.ts"
import { answeringPlugins, answersItself, checkPlugins, compilePlugins, pluginSchema } from "./plugins.ts"
import type { ReasoningPlan } from "./reasoning/plan.ts"
import { reasoningMode } from "./reasoning/keys.ts"
import { actionSchema, ofRequests } from "./reliability.ts"
import { canonicalRules, checkRules, compileRules, rootNames, rulesSchema } from "./rules.ts"
import { declaredSignals, modelScore } from "./signals.ts"

export type DecisionEntry = Static<ReturnType<typeof decisionSchema>>
export type ModelRef = Static<typeof modelRef>

const modelRef = section({
  model: name,
  lora_name: Type.Optional(name),
  weight: Type.Optional(Type.Number({ minimum: 0 })),
  use_reasoning: Type.Optional(Type.Boolean()),
  reasoning_effort: Type.Optional(name),
  reasoning_mode: Type.Optional(reasoningMode),
})

export function decisionSchema(registry: Registry) {
  return section({
    name,
    description: Type.Optional(Type.String()),
    priority: Type.Optional(Type.Integer()),
    tier: Type.Optional(Type.Integer({ minimum: 0 })),
    rules: Type.Optional(rulesSchema(registry.all("signal").map(({ id, module }) => signalConditionType(id, module)))),
    modelRefs: Type.Optional(Type.Array(modelRef)),
    algorithm: Type.Optional(algorithmSchema(registry)),
    plugins: Type.Optional(Type.Array(pluginSchema(registry))),
    ...ofRequests,
    action: actionSchema,
    // Their types stand with the modules.
    ...(Object.assign(
      {},
      registry.looperKeys?.decision,
      ...registry.all("route").map(({ module }) => module.keys?.decision),
    ) as object),
  })
}

/** Keys in a fixed order; one that is left out and has no default is undefined. */
export function canonicalDecision(
  decision: DecisionEntry,
  registry: Registry,
): { readonly [Key in keyof DecisionEntry]: DecisionEntry[Key] | undefined } {
  const { name: own, description, priority = 0, tier, rules, modelRefs = [], algorithm, plugins, ...rest } = decision
  return {
    name: own,
    description,
    priority,
    tier,
    rules: canonicalRules(rules),
    modelRefs: modelRefs.map((ref) => ({
      ...ref,
      use_reasoning: ref.use_reasoning ?? (ref.reasoning_mode ?? "disabled") !== "disabled",
    })),
    algorithm: canonicalAlgorithm(algorithm, registry),
    plugins,
    ...rest,
  }
}

/** One step for each decision. */
export function* checkDecisions(
  document: ConfigDocument,
  registry: Registry,
  later: LaterProblems,
): Work<readonly Problem[]> {
  const decisions = document.routing?.decisions ?? []
  const declared = declaredSignals(document, registry)
  const callable = callableModels(document)
  const problems = [
    ...duplicates(
      decisions.map((decision) => decision.name),
      (index) => ["routing", "decisions", index, "name"],
    ),
  ]
  for (const [index, decision] of decisions.entries()) {
    const at: DocumentPath = ["routing", "decisions", index]
    problems.push(
      ...checkRules(decision.rules ?? {}, [...at, "rules"], declared),
      ...checkModelRefs(decision, at, { document, registry, callable }),
      ...checkAlgorithm(decision, at, { document, registry, later, models: callable }),
      ...checkPlugins(decision.plugins ?? [], [...at, "plugins"], registry, later),
      ...checkPromises(decision, at, { document, registry, later }),
    )
    yield
  }
  return problems
}

interface Names {
  readonly document: ConfigDocument
  readonly registry: Registry
  readonly callable: ReadonlySet<string>
}

function checkModelRefs(
  { modelRefs: refs = [], plugins = [], action }: DecisionEntry,
  at: DocumentPath,
  { document, registry, callable }: Names,
): readonly Problem[] {
  const fallback = document.providers?.defaults?.model ?? action
  if (refs.length === 0 && fallback === undefined && callable.size > 0 && !answersItself(plugins, registry)) {
    const answering = answeringPlugins(registry)
    const instead = answering.length === 0 ? "" : `, or a ${answering.join(" or ")} plugin that answers without one`
    return [
      invalid(
        [...at, "modelRefs"],
        `is empty; a decision needs a model, here or as providers.defaults.model${instead}`,
      ),
    ]
  }
  return refs.flatMap((ref, position) => {
    const refAt = [...at, "modelRefs", position]
    const problems: Problem[] = []
    if (callable.size > 0 && !callable.has(ref.model))
      problems.push(
        invalid([...refAt, "model"], `"${ref.model}" is not in providers.models${suggestion(ref.model, callable)}`),
      )
    const loras = lorasOf(document, ref.model)
    if (ref.lora_name !== undefined && !loras.includes(ref.lora_name)) {
      problems.push(
        invalid(
          [...refAt, "lora_name"],
          `"${ref.lora_name}" is not among the loras of model card "${ref.model}"${suggestion(ref.lora_name, loras)}`,
        ),
      )
    }
    return problems
  })
}

/** What signals find wrong with a decision that asks for their rules, and routes with their keys. */
function checkPromises(
  decision: DecisionEntry,
  at: DocumentPath,
  {
    document,
    registry,
    later,
  }: { readonly document: ConfigDocument; readonly registry: Registry; readonly later: LaterProblems },
): readonly Problem[] {
  const problems: Problem[] = []
  const { rules = {}, modelRefs: refs = [] } = decision
  for (const { module } of registry.all("route")) module.keys?.check(decision, reportInto(problems, at), document)
  for (const registered of registry.all("signal")) {
    const { id, module } = registered
    const asked = module.checkDecision === undefined ? [] : rootNames(rules, signalConditionType(id, module))
    if (asked.length > 0)
      problems.push(
        ...moduleProblems(registered, at, later, (report) =>
          module.checkDecision?.({ rules: asked, cards: refs.map(({ model }) => cardOf(document, model)) }, report),
        ),
      )
  }
  return problems
}

export interface Compiled {
  readonly reasoning: ReasoningPlan | undefined
  readonly models: ReadonlyMap<string, ModelTarget>
  readonly signals: readonly PlannedSignal[]
}

export async function compileDecision(
  decision: DecisionEntry,
  index: number,
  context: CompileContext & Compiled,
): Promise<PlannedDecision> {
  const { rules = {}, algorithm, plugins = [] } = decision
  const at: DocumentPath = ["routing", "decisions", index]
  const key = context.keyOf?.(decision.name) ?? decision.name
  const onUnknown: UnknownPolicy = rules.on_unknown ?? "no_match"
  const candidates = refsOf(decision, context).map((ref) => compileCandidate(decision, ref, context))
  return {
    name: decision.name,
    priority: decision.priority ?? 0,
    tier: decision.tier ?? 0,
    rules: compileRules(rules, context.signals, onUnknown),
    onUnknown,
    candidates,
    ...(await compileAlgorithm(
      { decision: key, algorithm, candidates, path: [...at, "algorithm"], entry: decision },
      context,
    )),
    plugins: await compilePlugins({ decision: key, plugins, path: [...at, "plugins"] }, context),
  }
}

/** Candidates of a decision: the default model where it names none and no plugin of it answers. */
function refsOf(
  { modelRefs = [], plugins = [] }: DecisionEntry,
  { document, registry }: CompileContext,
): readonly ModelRef[] {
  const model = document.providers?.defaults?.model
  return modelRefs.length > 0 || model === undefined || answersItself(plugins, registry) ? modelRefs : [{ model }]
}

function compileCandidate(
  decision: DecisionEntry,
  ref: ModelRef,
  context: CompileContext & Compiled,
): PlannedCandidate {
  const model = ref.lora_name ?? ref.model
  const target = context.models.get(model) ?? {
    name: model,
    backends: [describedOnly(model, context)],
    pricing: undefined,
    card: undefined,
  }
  return {
    model,
    target,
    score: modelScore(context, { decision: decision.name, model: ref.model }),
    ...(ref.weight !== undefined && { weight: ref.weight }),
    pricing: target.pricing,
    card: target.card,
    reasoning: context.reasoning?.choiceOf(ref),
  }
}
