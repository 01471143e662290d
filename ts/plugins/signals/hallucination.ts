// Finds the parts of a reply that nothing in the request supports, for the plugin of the same name.

import { defineSignal, type Fact, type Report, section, Type, type UnknownReason } from "../../kernel/index.ts"
import { groundsOf } from "../_shared/replies/grounds.ts"
import { piecesOf } from "../_shared/replies/pieces.ts"
import { isBlank } from "../_shared/text-size.ts"
import { textTokens } from "../_shared/tokens/text-tokens.ts"

const share = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))

const settings = section({
  threshold: share("Probability from which a part counts as unsupported: 0.8 when left out, or for 0"),
  min_span_length: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: "Tokens, estimated, that such a part has at least: 2 when left out, or for 0",
    }),
  ),
  min_span_confidence: share("Probability that such a part has at least: 0.6 when left out, or for 0"),
})

/** The context is read beside each piece of a reply: one core reads so many characters in some ten seconds. */
const maxCharacters = 200_000

/** A setting of 0 is one that nobody has made. */
const given = (value: number | undefined, usual: number): number => value || usual

export default defineSignal({
  about:
    "Finds parts of a reply that neither results of tools nor documents of the request support; the embedded model was measured in English",
  needs: ["inference.spans"],
  binding: "hallucination_detector",
  defaultHead: "hallucination",
  rule: Type.Object({}),
  settings: { path: ["model_catalog", "modules", "hallucination_mitigation", "detector"], schema: settings },
  readsReply: () => true,
  check(rules, report, { document } = {}) {
    if (document?.routing !== undefined) checkUse(rules, document.routing, report)
  },
  setup(rules, { settings: detector }) {
    const threshold = given(detector.threshold, 0.8)
    const [leastTokens, leastProbability] = [
      given(detector.min_span_length, 2),
      given(detector.min_span_confidence, 0.6),
    ]
    return {
      async read({ text, asked }, { spans }) {
        const grounds = asked === undefined ? undefined : groundsOf(asked)
        const unknown = (reason: UnknownReason): readonly Fact[] =>
          rules.map(({ name }) => ({ rule: name, state: "unknown", confidence: 0, reason }))
        if (grounds === undefined) return unknown("rejected")
        const pieces = piecesOf(text).filter((piece) => !isBlank(piece.text))
        if (pieces.length * grounds.context.length > maxCharacters) return unknown("input_limit")
        const marked = await Promise.all(
          pieces.map(async (piece) => {
            const read = await spans(piece.text, { threshold, grounds })
            return read.map(({ start, end, probability }) => ({
              probability,
              quote: piece.text.slice(start, end).trim(),
            }))
          }),
        )
        const found = marked
          .flat()
          // The estimate has fractions.
          .filter((span) => span.probability >= leastProbability && Math.round(textTokens(span.quote)) >= leastTokens)
        const confidence = found.reduce((most, span) => Math.max(most, span.probability), 0)
        return rules.map(({ name }): Fact => ({
          rule: name,
          state: found.length > 0 ? "match" : "no_match",
          confidence,
          value: confidence,
          quotes: found.map(({ quote }) => quote),
        }))
      },
    }
  },
})

interface Routing {
  readonly signals?: { readonly fact_check?: readonly { readonly name: string }[] }
  readonly decisions?: readonly {
    readonly name: string
    readonly rules?: Condition
    readonly plugins?: readonly { readonly type: string; readonly configuration?: { readonly enabled?: boolean } }[]
  }[]
  readonly projections?: {
    readonly scores?: readonly { readonly inputs: readonly { readonly type: string }[] }[]
  }
}

interface Condition {
  readonly type?: string
  readonly conditions?: readonly Condition[]
}

const asks = (node: Condition | undefined): boolean =>
  node !== undefined && (node.type === "hallucination" || (node.conditions ?? []).some(asks))

/** A decision is made before there is a reply, so that only its plugin can act on one. */
function checkUse(rules: readonly { readonly name: string }[], routing: Routing, report: Report): void {
  const { decisions = [], projections: { scores = [] } = {}, signals = {} } = routing
  const early = decisions.find((decision) => asks(decision.rules))
  if (early !== undefined)
    report(
      [],
      `reads replies, and decision "${early.name}" asks for one before there is a reply; use its plugin hallucination`,
    )
  if (scores.some(({ inputs }) => inputs.some(({ type }) => type === "hallucination")))
    report([], "reads replies, and a score of projections is made of one before there is a reply")
  const judged = decisions.find(({ plugins = [] }) =>
    plugins.some(({ type, configuration }) => type === "hallucination" && configuration?.enabled === true),
  )
  if (rules.length > 0 && judged === undefined)
    report([], "reads replies, and no decision has the plugin hallucination, which acts on what it finds", "warning")
  const isTold = signals.fact_check?.some(({ name }) => name === "needs_fact_check") === true
  if (judged !== undefined && !isTold)
    report(
      [],
      `judges no reply of decision "${judged.name}": its plugin acts where a rule needs_fact_check of routing.signals.fact_check matches, and there is none`,
      "warning",
    )
}
