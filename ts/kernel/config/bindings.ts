// Which signal asks which deployment and head. Nothing else knows a default deployment or a default head.

import { type DocumentPath, RtrError } from "../error.ts"
import { grantedQuestions } from "../modules/capabilities.ts"
import type { Registry } from "../modules/registry.ts"
import type { Capability } from "../types/capability.ts"
import type { BatchedQuestions } from "../types/inference.ts"
import type { RegisteredModule } from "../types/module.ts"
import type { InferenceTarget } from "../types/plan.ts"
import type { SecondModel, SignalModule } from "../types/signal.ts"
import type { ConfigDocument } from "./document-schema.ts"
import type { AlgorithmEntry } from "./sections/algorithms.ts"
import type { BoundHead } from "./package-heads.ts"
import type { Binding, Deployment } from "./sections/model-catalog.ts"
import { rulesOf, settingsOf, usedSignals } from "./signal-use.ts"

export type RegisteredSignal = RegisteredModule<SignalModule>

/** The deployment that exists without being declared: one worker with the embedded package. */
export const defaultDeployment = {
  name: "default",
  provider: "model_runtime",
  artifact: "signals",
  input: { overflow: "truncate" },
} as const satisfies Deployment & { readonly name: string }

/** The deployment of typed questions for signals and selectors that name none; it exists without being declared, too. */
export const decisionDeployment = { ...defaultDeployment, name: "decisions", artifact: "decide" } as const

/** The deployment of a second model, which has the name of its binding; it exists without being declared, too. */
const secondDeployment = ({ binding: name, artifact }: SecondModel): Deployment & { readonly name: string } => ({
  ...defaultDeployment,
  name,
  artifact,
})

/** Where the questions of a selector go: vectors through binding `embedding`, typed ones to the deployment of its block. */
export function selectorTarget(
  algorithm: AlgorithmEntry,
  registry: Registry,
  document: ConfigDocument,
): InferenceTarget | undefined {
  const { type } = algorithm
  const needs = registry.find("selector", type)?.module.needs
  const embeds = needs?.includes("inference.embed")
  if (!embeds && !needs?.includes("inference.decide")) return undefined
  const said = embeds ? documentBinding("embedding", document) : (algorithm[type] as Partial<Binding> | undefined)
  const deployment = said?.deployment ?? (embeds ? defaultDeployment : decisionDeployment).name
  return { deployment, head: undefined, whole: false }
}

/** Names of the bindings that a signal asks through. Everything but vectors comes from one model, unless its rules have their own. */
export interface SignalBindings {
  readonly reading: readonly string[]
  readonly vectors: string | undefined
}

/** Bindings that the signal may have. */
export function bindingsOf(registered: RegisteredSignal): SignalBindings {
  return bindingsFor(registered, registered.module.needs ?? [], registered.module.second)
}

/** Bindings that its rules in this document need. */
export function usedBindings(registered: RegisteredSignal, document: ConfigDocument): SignalBindings {
  const { module } = registered
  const rules = rulesOf(registered, document)
  const used = bindingsFor(
    registered,
    // Without rules it is a plugin that asks, with a rule of its own.
    (rules.length === 0 ? undefined : module.asks?.(rules as never, settingsOf(module, document) as never)) ??
      module.needs ??
      [],
    module.second?.isAsked(document) === true ? module.second : undefined,
  )
  const { ruleBindings: own } = module
  if (own === undefined) return used
  const asked = rules.flatMap((rule) =>
    used.reading.flatMap((kind) => (own[kind]?.(rule as never) ? [`${kind}.${rule.name}`] : [])),
  )
  return { ...used, reading: asked }
}

function bindingsFor(
  registered: RegisteredSignal,
  needs: readonly Capability[],
  second: SecondModel | undefined,
): SignalBindings {
  const { binding = registered.id, embeddingBinding = binding, ruleBindings } = registered.module
  const questions = questionsOf(registered, needs)
  const kinds = ruleBindings === undefined ? [binding] : Object.keys(ruleBindings)
  return {
    reading: questions.some((question) => question !== "embed") ? [...kinds, ...(second ? [second.binding] : [])] : [],
    vectors: questions.includes("embed") ? embeddingBinding : undefined,
  }
}

/** What a signal may ask of a model. */
export function questionsOf(
  { id, module }: RegisteredSignal,
  needs: readonly Capability[] = module.needs ?? [],
): readonly (keyof BatchedQuestions)[] {
  return grantedQuestions(needs, { name: `signal:${id}` })
}

/** The binding that answers a signal's questions: what the document says, or the signal's head of the default deployment. */
export function readingBinding(
  registered: RegisteredSignal,
  document: ConfigDocument,
  reading: string | undefined = bindingsOf(registered).reading[0],
): Binding | undefined {
  if (reading === undefined) return undefined
  const { defaultHead: head, second } = registered.module
  if (reading === second?.binding)
    return documentBinding(reading, document) ?? { deployment: reading, head: second.head }
  const asksTyped = questionsOf(registered).includes("decide")
  return (
    documentBinding(reading, document) ??
    (asksTyped ? { deployment: decisionDeployment.name } : undefined) ??
    (head === undefined ? undefined : { deployment: defaultDeployment.name, head })
  )
}

/** Bindings that the signal's rules need and that lead nowhere. */
export const unboundIn = (registered: RegisteredSignal, document: ConfigDocument): readonly string[] =>
  usedBindings(registered, document).reading.filter((name) => readingBinding(registered, document, name) === undefined)

/** The binding that makes a signal's vectors. Every deployment can, so the default one is always there. */
export function vectorBinding(registered: RegisteredSignal, document: ConfigDocument): Binding | undefined {
  const { vectors } = bindingsOf(registered)
  return vectors === undefined
    ? undefined
    : (documentBinding(vectors, document) ?? { deployment: defaultDeployment.name })
}

/**
 * What the routing says of a binding, and where it says nothing the document. That of a rule (`safety.policy`) is that of its
 * kind (`safety`) where it has none.
 */
function documentBinding(name: string, { global, routing }: ConfigDocument): Binding | undefined {
  const [kind = name] = name.split(".", 1)
  for (const bindings of [routing?.model_bindings ?? {}, global?.model_catalog?.bindings ?? {}])
    for (const each of [name, kind]) if (Object.hasOwn(bindings, each)) return bindings[each]
  return undefined
}

/** Where the questions of a signal in use go; undefined for one that asks no model. Throws `invalid_config` for a missing binding. */
export function compileTarget(registered: RegisteredSignal, document: ConfigDocument): InferenceTarget | undefined {
  const { reading, vectors } = usedBindings(registered, document)
  const targets = reading.map((binding) => {
    const found = readingBinding(registered, document, binding)
    if (found !== undefined) return [binding, found] as const
    throw new RtrError(
      "invalid_config",
      `Signal binding "${binding}" has no deployment; name one under global.model_catalog.bindings.${binding}`,
      { path: ["global", "model_catalog", "bindings", binding] },
    )
  })
  const embedsBy = vectors === undefined ? undefined : vectorBinding(registered, document)
  const main = targets[0]?.[1] ?? embedsBy
  if (main === undefined) return undefined
  const { deployment, head } = main
  const elsewhere = embedsBy !== undefined && embedsBy.deployment !== deployment
  return {
    deployment,
    head,
    whole: registered.module.guard ?? false,
    ...(elsewhere && { vectors: embedsBy.deployment }),
    // A binding without a head must not ask for that of the first.
    ...(targets.length > 1 && { bound: new Map(targets.map(([name, to]) => [name, { ...to, head: to.head }])) }),
  }
}

/** Heads that the document's bindings ask, and default ones that signals in use ask. */
export function boundHeads(document: ConfigDocument, registry: Registry): readonly BoundHead[] {
  const used = new Set(usedSignals(document, registry, "replies").map(({ id }) => id))
  return registry.all("signal").flatMap((registered): readonly BoundHead[] => {
    const questions = questionsOf(registered)
    const classes = questions.includes("classify")
    const spans = questions.includes("spans")
    const decisions = !classes && !spans && questions.includes("decide")
    // A signal that wants both gets neither wrongly refused: its model answers one of the two questions.
    if (classes === spans && !decisions) return []
    const answers = decisions ? "decisions" : classes ? "classes" : "spans"
    const own = Object.values(document.routing?.model_bindings ?? {})
    const asked = used.has(registered.id) ? usedBindings(registered, document).reading : []
    const bound = bindingsOf(registered).reading.filter((name) => documentBinding(name, document) !== undefined)
    return [...new Set([...asked, ...bound])].flatMap((binding): readonly BoundHead[] => {
      const found = readingBinding(registered, document, binding)
      if (found === undefined) return []
      const { deployment, head } = found
      const ofRouting = own.includes(found)
      const expects = asked.includes(binding) ? expectationsOf(registered, document, binding) : []
      return [
        {
          binding,
          deployment,
          head,
          answers,
          ...(expects.length > 0 && { expects }),
          ...(ofRouting && { ofRouting }),
        },
      ]
    })
  })
}

/** What the rules that ask through a binding need of the labels of its model. */
function expectationsOf(
  registered: RegisteredSignal,
  document: ConfigDocument,
  name: string,
): NonNullable<BoundHead["expects"]> {
  const { module } = registered
  const settings = settingsOf(module, document)
  return rulesOf(registered, document).flatMap((rule) => {
    const binding = module.ruleBindings === undefined ? name : name.replace(/\..*/s, "")
    if (module.ruleBindings !== undefined && name !== `${binding}.${rule.name}`) return []
    const expected = module.expectedLabels?.(rule as never, { binding, settings: settings as never })
    return expected === undefined ? [] : [{ rule: rule.name, ...expected }]
  })
}

export interface NeededDeployment extends Deployment {
  readonly name: string
  /** Heads that bindings ask of it; what only its worker can tell is compared when it answers. */
  readonly heads?: readonly BoundHead[]
  /** Where the document names the artifact, when that is not in the entry of this deployment. */
  readonly writtenAt?: DocumentPath
}

/** Declared deployments, and the default one when a signal in use has no binding of its own. */
export function neededDeployments(document: ConfigDocument, registry: Registry): readonly NeededDeployment[] {
  const declared = Object.entries(document.global?.model_catalog?.deployments ?? {}).map(([name, deployment]) => ({
    ...deployment,
    name,
  }))
  const wanted = wantedDeployments(document, registry)
  const seconds = registry.all("signal").flatMap(({ module: { second } }) => (second ? [secondDeployment(second)] : []))
  const implied = [defaultDeployment, decisionDeployment, ...seconds].filter(
    ({ name }) => wanted.has(name) && !declared.some((each) => each.name === name),
  )
  const needed = [...declared, ...implied]
  // A worker does not list what answers typed questions.
  const bound = boundHeads(document, registry).filter(({ answers }) => answers !== "decisions")
  return needed.map((deployment) => {
    const heads = bound.filter((each) => each.deployment === deployment.name)
    return heads.length === 0 ? deployment : { ...deployment, heads }
  })
}

/** Names of the deployments that signals and selectors in use ask. A selector has to have something to choose. */
function wantedDeployments(document: ConfigDocument, registry: Registry): ReadonlySet<string | undefined> {
  const bindings = usedSignals(document, registry, "replies").flatMap((registered) => {
    const { reading, vectors } = usedBindings(registered, document)
    return [
      ...reading.map((binding) => readingBinding(registered, document, binding)),
      vectors === undefined ? undefined : vectorBinding(registered, document),
    ]
  })
  const targets = (document.routing?.decisions ?? []).map(({ algorithm, modelRefs: refs = [] }) =>
    algorithm !== undefined && refs.length > 1 ? selectorTarget(algorithm, registry, document) : undefined,
  )
  return new Set([...bindings, ...targets].map((each) => each?.deployment))
}
