// Facts that are made of the facts of signals: scores and the bands that they fall into.

import { defineSignal, type Fact, Type, type UnknownReason } from "../../kernel/index.ts"
import { confidenceOf, outputsFor } from "../_shared/projections/bands.ts"
import { checkProjections } from "../_shared/projections/check.ts"
import { resolvePartition } from "../_shared/projections/partitions.ts"
import { unknownAs } from "../_shared/projections/relations.ts"
import { createScores, isUnknown } from "../_shared/projections/scores.ts"
import { type Mapping, type Projections, projectionsSchema, scoresFor } from "../_shared/projections/section.ts"

/** One output of a mapping, with the section that it stands in. */
interface OutputRule {
  readonly name: string
  readonly mapping: Mapping
  readonly projections: Projections
}

const projectionsOf = (routing: object): Projections =>
  (routing as { readonly projections?: Projections }).projections ?? {}

export default defineSignal({
  about: "Matches bands of scores that are made of the facts of signals",
  rule: Type.Object({}),
  routing: {
    path: ["projections"],
    schema: projectionsSchema,
    rules(routing, read): readonly OutputRule[] {
      const projections = projectionsOf(routing)
      const wanted = read === true ? wantedNames(routing) : undefined
      const rules = new Map<string, OutputRule>()
      for (const mapping of projections.mappings ?? [])
        for (const { name } of mapping.outputs)
          if (wanted?.has(name) !== false && !rules.has(name)) rules.set(name, { name, mapping, projections })
      return [...rules.values()]
    },
    narrow(routing, names) {
      const partitions = (projectionsOf(routing).partitions ?? []).filter(({ members }) =>
        members.every((member) => names.includes(member)),
      )
      return partitions.length === 0
        ? undefined
        : (facts) => partitions.reduce((narrowed, partition) => resolvePartition(partition, narrowed), facts)
    },
  },
  check(_, report, { document, signals = [] } = {}) {
    const projections = projectionsOf(document?.routing ?? {})
    if (document === undefined || Object.keys(projections).length === 0) return
    checkProjections(projections, report, { document, signals })
  },
  after(rules) {
    const { projections, mappings } = usedBy(rules as readonly OutputRule[])
    const types = scoresFor(projections, mappings).flatMap(({ inputs }) => inputs.map(({ type }) => type))
    return [...new Set(types.map((type) => (type === "kb_metric" ? "kb" : type)))].filter(
      (type) => type !== "projection",
    )
  },
  madeOf(rule) {
    const { projections, mappings } = usedBy([rule as unknown as OutputRule])
    return scoresFor(projections, mappings).flatMap(({ inputs }) =>
      inputs.flatMap(({ type, name = "", weight }) => (weight === 0 ? [] : [{ type, name }])),
    )
  },
  setup(rules, host) {
    const { projections, mappings } = usedBy(rules as readonly OutputRule[])
    const wanted = new Set(rules.map(({ name }) => name))
    const scores = createScores(projections, scoresFor(projections, mappings), (type, name) =>
      unknownAs(host, type, name),
    )
    return {
      read({ factsOf }) {
        const values = scores(factsOf)
        return mappings.flatMap((mapping): readonly Fact[] => {
          const score = values.get(mapping.source) ?? { unknown: "failed" }
          if (isUnknown(score)) return unknownFacts(mapping, wanted, score.unknown)
          const holds = outputsFor(mapping, score)
          // Shown with the fact: conditions compare how sure an output is, not its score.
          const shown = { [mapping.source]: score }
          return mapping.outputs.flatMap((output, index): readonly Fact[] => {
            if (!wanted.has(output.name)) return []
            return holds[index] === true
              ? [{ rule: output.name, state: "match", confidence: confidenceOf(mapping, output, score), values: shown }]
              : [{ rule: output.name, state: "no_match", confidence: 0, values: shown }]
          })
        })
      },
    }
  },
})

interface Condition {
  readonly type?: string
  readonly name?: string
  readonly conditions?: readonly Condition[]
}

/** Outputs that decisions ask for. */
function wantedNames(routing: object): ReadonlySet<string> {
  const { decisions = [] } = routing as { readonly decisions?: readonly { readonly rules?: Condition }[] }
  const namesIn = ({ type, name = "", conditions = [] }: Condition): readonly string[] =>
    type === "projection" ? [name] : conditions.flatMap(namesIn)
  return new Set(decisions.flatMap(({ rules = {} }) => namesIn(rules)))
}

/** What rules of one section are made of, each mapping once. */
function usedBy(rules: readonly OutputRule[]): {
  readonly projections: Projections
  readonly mappings: readonly Mapping[]
} {
  return { projections: rules[0]?.projections ?? {}, mappings: [...new Set(rules.map(({ mapping }) => mapping))] }
}

const unknownFacts = ({ outputs }: Mapping, wanted: ReadonlySet<string>, reason: UnknownReason): readonly Fact[] =>
  outputs.flatMap(({ name }) =>
    wanted.has(name) ? [{ rule: name, state: "unknown", confidence: 0, reason } as const] : [],
  )
