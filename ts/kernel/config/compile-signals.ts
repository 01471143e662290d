// Signals that decisions use are set up; the others cost nothing.

import { RtrError } from "../error.ts"
import { signalConditionType, signalConfigKey } from "../modules/registry.ts"
import type { Inference } from "../types/inference.ts"
import type { RegisteredModule, SignalModule } from "../types/module.ts"
import type { Ask, InferenceTarget, SignalFamily } from "../types/plan.ts"
import type { CompileOptions } from "./compile.ts"
import type { ConfigDocument } from "./schema/document.ts"
import type { RuleEntry, SignalRule } from "./schema/routing.ts"
import { starterBindings } from "./starter.ts"

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
  { id, module }: RegisteredModule<SignalModule>,
  rules: readonly SignalRule[],
  options: CompileOptions,
): Promise<Omit<SignalFamily, "firstSlot">> {
  const type = signalConditionType(id, module)
  const asks = (module.needs ?? []).length > 0
  // A missing binding is the likelier mistake: without one, no worker was started either.
  const target = asks ? targetOf(module.binding ?? id, module.readsWhole ?? false, options) : undefined
  if (asks && options.inference === undefined) {
    throw new RtrError(
      "invalid_config",
      `Cannot use signal "${type}": it asks a model, and this kernel has no inference; pass one to createKernel, or bind the signal under global.model_catalog.bindings`,
      { path: ["routing", "signals", signalConfigKey(id, module)] },
    )
  }
  const settings = valueAt(options.document.global, module.settings?.path ?? []) ?? {}
  const reader = await module.setup(
    rules as never,
    { settings, embedAll: embedAll(options.inference, target) } as never,
  )
  return {
    type,
    rules: rules.map(({ name }) => name),
    target,
    read: (input, ask: Ask) => reader.read(input, ask as never),
  }
}

function targetOf(consumer: string, whole: boolean, { document }: CompileOptions): InferenceTarget {
  const binding = document.global?.model_catalog?.bindings?.[consumer] ?? starterBindings[consumer]
  if (binding === undefined)
    throw new RtrError(
      "invalid_config",
      `Signal binding "${consumer}" has no deployment; name one under global.model_catalog.bindings.${consumer}`,
      { path: ["global", "model_catalog", "bindings", consumer] },
    )
  return { deployment: binding.deployment, head: binding.head, whole }
}

/** Makes vectors of fixed texts at activation. */
function embedAll(inference: Inference | undefined, target: InferenceTarget | undefined) {
  return async (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    if (inference === undefined || target === undefined)
      throw new RtrError("invalid_config", "Cannot embed: this signal asks no model")
    const vectors: Float32Array[] = []
    // Small calls, so that a long list stays below the worker's limits.
    for (let start = 0; start < texts.length; start += 32) {
      const answers = await inference.bundle(
        texts.slice(start, start + 32).map((text) => ({ kind: "embed", deployment: target.deployment, text })),
      )
      for (const answer of answers) {
        if (answer.kind === "error") throw answer.error
        if (answer.kind === "embed") vectors.push(answer.vector)
      }
    }
    return vectors
  }
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], root)
}
