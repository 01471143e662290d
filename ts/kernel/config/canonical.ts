// The one normal form of a document: current spelling, explicit operators, defaults that change routing, fixed order of keys.

import type { Registry } from "../modules/registry.ts"
import type { ConfigDocument } from "./document-schema.ts"
import { canonicalDecision } from "./sections/decisions.ts"
import { canonicalListener } from "./sections/listeners.ts"
import { impliedRules } from "./sections/signals.ts"

type Routing = NonNullable<ConfigDocument["routing"]>

/** Normalises a valid document; doing it twice changes nothing. */
export function canonicalDocument(document: ConfigDocument, registry: Registry): ConfigDocument {
  const { version, modules, listeners, providers, routing, global, ...further } = document
  return dropUndefined({
    version,
    modules,
    listeners: listeners?.map(canonicalListener),
    providers,
    routing: routing && canonicalRouting(routing, registry),
    global,
    ...further,
  }) as unknown as ConfigDocument
}

function canonicalRouting(routing: Routing, registry: Registry): Routing {
  const decisions = routing.decisions?.map((decision) => dropUndefined(canonicalDecision(decision, registry)))
  const signals = {
    ...routing.signals,
    ...impliedRules(routing.signals, (decisions ?? []) as NonNullable<Routing["decisions"]>, registry),
  }
  return dropUndefined({
    modelCards: routing.modelCards,
    signals: Object.keys(signals).length === 0 ? undefined : signals,
    projections: (routing as { readonly projections?: object }).projections,
    decisions,
    strategy: routing.strategy,
    fallback: routing.fallback,
    candidate_requirements: routing.candidate_requirements,
    model_bindings: routing.model_bindings,
  }) as Routing
}

function dropUndefined(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined))
}
