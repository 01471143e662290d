// Signals that decisions use are set up; the others cost nothing.

import { RtrError } from "../error.ts"
import { signalConditionType, signalConfigKey } from "../modules/registry.ts"
import { type Inference, mostTasks } from "../types/inference.ts"
import type { RegisteredModule, SignalModule } from "../types/module.ts"
import type { Ask, InferenceTarget, SignalFamily } from "../types/plan.ts"
import type { CompileOptions } from "./compile.ts"
import { findBinding, settingsOf, type SignalBindings, usedBindings } from "./consumers.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { Binding } from "./schema/global.ts"
import type { RuleEntry, SignalRule } from "./schema/routing.ts"

export interface CompiledSignals {
  readonly families: readonly SignalFamily[]
  readonly slotCount: number
}

/** Families in the order of registration. All rules of a used family are read, because some signals rank their rules against each other. */
export async function compileSignals(options: CompileOptions): Promise<CompiledSignals> {
  const { document, registry } = options
  const usedTypes = usedConditionTypes(document)
  const used = registry.all("signal").filter(({ id, module }) => usedTypes.has(signalConditionType(id, module)))
  const families: SignalFamily[] = []
  let slotCount = 0
  for (const registered of used) {
    const rules = document.routing?.signals?.[signalConfigKey(registered.id, registered.module)] ?? []
    families.push({ ...(await compileFamily(registered, rules, options)), firstSlot: slotCount })
    slotCount += rules.length
  }
  return { families, slotCount }
}

/** Condition types that some decision refers to. */
export function usedConditionTypes(document: ConfigDocument): ReadonlySet<string> {
  return new Set((document.routing?.decisions ?? []).flatMap((decision) => [...leafTypes(decision.rules)]))
}

function leafTypes(node: RuleEntry | undefined): ReadonlySet<string> {
  if (node === undefined) return new Set()
  if (node.type !== undefined) return new Set([node.type])
  return new Set((node.conditions ?? []).flatMap((child) => [...leafTypes(child)]))
}

async function compileFamily(
  registered: RegisteredModule<SignalModule>,
  rules: readonly SignalRule[],
  options: CompileOptions,
): Promise<Omit<SignalFamily, "firstSlot">> {
  const { id, module } = registered
  const type = signalConditionType(id, module)
  // A missing binding is the likelier mistake: without one, no worker was started either.
  const target = targetOf(usedBindings(registered, options.document), module.readsWhole ?? false, options.document)
  if (target !== undefined && options.inference === undefined) {
    throw new RtrError(
      "invalid_config",
      `Cannot use signal "${type}": it asks a model, and this kernel has no inference; pass one to createKernel, or bind the signal under global.model_catalog.bindings`,
      { path: ["routing", "signals", signalConfigKey(id, module)] },
    )
  }
  const settings = settingsOf(module, options.document)
  const onUnknown = module.onUnknown?.(settings as never)
  const reader = await module.setup(
    rules as never,
    { settings, embedAll: embedAll(options.inference, target) } as never,
  )
  return {
    type,
    rules: rules.map(({ name }) => name),
    target,
    ...(onUnknown !== undefined && { onUnknown }),
    read: (input, ask: Ask) => reader.read(input, ask as never),
  }
}

/** Undefined for a signal that asks no model. */
function targetOf(
  { reading, vectors }: SignalBindings,
  whole: boolean,
  document: ConfigDocument,
): InferenceTarget | undefined {
  const [main, other] = [reading, vectors].flatMap((name) => (name === undefined ? [] : [bindingOf(name, document)]))
  if (main === undefined) return undefined
  const { deployment, head } = main
  const elsewhere = other !== undefined && other.deployment !== deployment
  return { deployment, head, whole, ...(elsewhere && { vectors: other.deployment }) }
}

function bindingOf(name: string, document: ConfigDocument): Binding {
  const binding = findBinding(name, document)
  if (binding === undefined)
    throw new RtrError(
      "invalid_config",
      `Signal binding "${name}" has no deployment; name one under global.model_catalog.bindings.${name}`,
      { path: ["global", "model_catalog", "bindings", name] },
    )
  return binding
}

/** Makes vectors of fixed texts at activation. */
function embedAll(inference: Inference | undefined, target: InferenceTarget | undefined) {
  return async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    if (inference === undefined || target === undefined)
      throw new RtrError("invalid_config", "Cannot embed: this signal asks no model")
    const vectors: Float32Array[] = []
    const deployment = target.vectors ?? target.deployment
    for (let start = 0; start < texts.length; start += mostTasks) {
      const answers = await inference.bundle(
        texts.slice(start, start + mostTasks).map((text) => ({ kind: "embed", deployment, text })),
      )
      for (const answer of answers) {
        if (answer.kind === "error") throw answer.error
        if (answer.kind === "embed") vectors.push(answer.vector)
      }
    }
    return vectors
  }
}
