// What signals that look at the facts of others find in the document.

import { type NarrowFacts, type RegisteredSignal, type SignalSurroundings } from "../../../kernel/index.ts"

type Rule = Readonly<Record<string, unknown>> & { readonly name: string }

interface Routing {
  readonly signals?: Readonly<Record<string, readonly Rule[] | undefined>>
}

const typeOf = ({ id, module }: RegisteredSignal): string => module.conditionType ?? id

/** Key of a signal's rules under `routing.signals`. */
export const keyOf = ({ id, module }: RegisteredSignal): string => module.configKey ?? id

/** The rules of a signal; none of one whose rules stand elsewhere. */
export const rulesOf = (signal: RegisteredSignal, { routing = {} }: SignalSurroundings["document"]): readonly Rule[] =>
  (routing as Routing).signals?.[keyOf(signal)] ?? []

/** Names of the facts of each signal's rules, by condition type. */
export const factNames = ({ document, signals }: SignalSurroundings): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    signals.map((signal) => [
      typeOf(signal),
      new Set(rulesOf(signal, document).flatMap((rule) => signal.module.factNames?.(rule as never) ?? [rule.name])),
    ]),
  )

/** How partitions change the facts of a signal with rules of these names. */
export function narrowing(
  { document, signals = [] }: Partial<SignalSurroundings>,
  names: readonly string[],
): NarrowFacts {
  const routing = document?.routing
  const steps =
    routing === undefined ? [] : signals.flatMap(({ module }) => module.routing?.narrow?.(routing, names) ?? [])
  return (facts) => steps.reduce((narrowed, step) => step(narrowed), facts)
}

interface GuardOptions {
  readonly on_unscanned?: "block" | "allow"
  readonly on_error?: "block" | "allow"
}

/**
 * What an unknown fact counts as where no condition can say it, by what the rule and the settings of its signal say: what a
 * guard did not read counts as found, unless it says `on_unscanned: allow`. Undefined leaves the fact unknown.
 */
export function unknownAs(
  { document, signals = [] }: Partial<SignalSurroundings>,
  type: string,
  name: string,
): "match" | "no_match" | undefined {
  const signal = signals.find((each) => typeOf(each) === type)
  if (signal === undefined || document === undefined) return undefined
  const { guard, onUnknown, settings: section } = signal.module
  const settings = (section?.path ?? []).reduce<unknown>(
    (node, step) => (node as Readonly<Record<string, unknown>> | undefined)?.[step],
    document.global,
  ) as GuardOptions | undefined
  const rule = rulesOf(signal, document).find((each) => each.name === name) as GuardOptions | undefined
  const blocks = guard === true && (rule?.on_unscanned ?? settings?.on_unscanned) !== "allow"
  if (blocks) return "match"
  return (
    onUnknown?.((settings ?? {}) as never) ?? (guard === true && settings?.on_error === "block" ? "match" : undefined)
  )
}
