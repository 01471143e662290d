// `routing`: model cards, signals and decisions. Signals, selectors and plugins bring their own part of the schema.

import { Type, type Static, type TProperties } from "typebox"
import { type Registry, signalConditionType, signalConfigKey } from "../../modules/registry.ts"
import type { Predicate } from "../../types/predicate.ts"
import { literals, name, section, taggedUnion } from "../../schema/shapes.ts"

export type RoutingSection = Static<ReturnType<typeof routingSchema>>
export type DecisionEntry = NonNullable<RoutingSection["decisions"]>[number]
export type ModelRef = NonNullable<DecisionEntry["modelRefs"]>[number]
export type ModelCard = Static<typeof modelCard>
export type SignalRule = Readonly<Record<string, unknown>> & { readonly name: string; readonly description?: string }

export interface RuleEntry {
  readonly operator?: string
  readonly conditions?: readonly RuleEntry[]
  readonly type?: string
  readonly name?: string
  readonly predicate?: Predicate
  readonly on_error?: "match" | "no_match"
  readonly on_unknown?: "no_match" | "match" | "fail_request"
}

const modelCard = section({
  name,
  param_size: Type.Optional(Type.String({ pattern: "^[0-9.]+[bBmMkK]?$" })),
  context_window_size: Type.Optional(Type.Integer({ minimum: 1 })),
  description: Type.Optional(Type.String()),
  capabilities: Type.Optional(Type.Array(Type.String())),
  loras: Type.Optional(Type.Array(section({ name, description: Type.Optional(Type.String()) }))),
  quality_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  modality: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
})

const modelRef = section({
  model: name,
  lora_name: Type.Optional(name),
  use_reasoning: Type.Optional(Type.Boolean()),
  reasoning_effort: Type.Optional(name),
})

/** Schema of `routing`, assembled from the registered modules. */
export function routingSchema(registry: Registry) {
  const decision = section({
    name,
    description: Type.Optional(Type.String()),
    priority: Type.Optional(Type.Integer()),
    tier: Type.Optional(Type.Integer({ minimum: 0 })),
    rules: Type.Optional(ruleNode(registry.all("signal").map(({ id, module }) => signalConditionType(id, module)))),
    modelRefs: Type.Optional(Type.Array(modelRef)),
    algorithm: Type.Optional(algorithm(registry)),
    plugins: Type.Optional(Type.Array(plugin(registry))),
  })
  return section({
    modelCards: Type.Optional(Type.Array(modelCard)),
    signals: Type.Optional(signals(registry)),
    decisions: Type.Optional(Type.Array(decision)),
    strategy: Type.Optional(literals(["priority", "confidence"])),
  })
}

const bound = Type.Optional(Type.Number())

function ruleNode(conditionTypes: readonly string[]) {
  const node = section(
    {
      operator: Type.Optional(
        Type.String({
          pattern: "^([Aa][Nn][Dd]|[Oo][Rr]|[Nn][Oo][Tt])$",
          description: "AND, OR or NOT",
          examples: ["AND", "OR", "NOT"],
        }),
      ),
      conditions: Type.Optional(Type.Array(Type.Ref("RuleNode"))),
      type: Type.Optional(literals(conditionTypes)),
      name: Type.Optional(name),
      predicate: Type.Optional(section({ gt: bound, gte: bound, lt: bound, lte: bound })),
      on_error: Type.Optional(literals(["match", "no_match"])),
      on_unknown: Type.Optional(literals(["no_match", "match", "fail_request"])),
    },
    { description: "A condition (type, name) or a combination (operator, conditions)" },
  )
  return Type.Unsafe<RuleEntry>(Type.Cyclic({ RuleNode: node }, "RuleNode"))
}

function signals(registry: Registry) {
  const properties: TProperties = {}
  for (const { id, module } of registry.all("signal")) {
    const rule = section({
      name,
      description: Type.Optional(Type.String()),
      ...(module.rule.properties as TProperties),
    })
    properties[signalConfigKey(id, module)] = Type.Optional(Type.Array(rule, { description: module.about }))
  }
  return Type.Unsafe<Readonly<Record<string, readonly SignalRule[] | undefined>>>(section(properties))
}

function plugin(registry: Registry) {
  const variants = registry
    .all("plugin")
    .map(({ id, module }) =>
      section({ type: Type.Literal(id), configuration: module.options }, { description: module.about }),
    )
  return taggedUnion<{ readonly type: string; readonly configuration: Readonly<Record<string, unknown>> }>(
    "type",
    variants,
  )
}

function algorithm(registry: Registry) {
  const variants = registry.all("selector").map(({ id, module }) => {
    const block: TProperties = module.options === undefined ? {} : { [id]: Type.Optional(module.options) }
    return section({ type: Type.Literal(id), ...block }, { description: module.about })
  })
  return taggedUnion<Readonly<Record<string, unknown>> & { readonly type: string }>("type", variants)
}
