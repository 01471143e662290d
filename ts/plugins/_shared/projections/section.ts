// `routing.projections`: its keys.

import { literals, section, type Static, Type } from "../../../kernel/index.ts"

const name = Type.String({ minLength: 1, pattern: "\\S" })
const bound = Type.Optional(Type.Number())

export const projectionsSchema = section(
  {
    partitions: Type.Optional(
      Type.Array(
        section({
          name,
          semantics: literals(["exclusive", "softmax_exclusive"]),
          temperature: Type.Optional(Type.Number({ description: "Of the softmax; the smaller, the surer the winner" })),
          members: Type.Array(name, { minItems: 1, description: "Names of domains, or of embedding rules" }),
          default: Type.String({ minLength: 1, description: "The member that matches when none does" }),
        }),
        { description: "Of the members that match, only the surest stays" },
      ),
    ),
    scores: Type.Optional(
      Type.Array(
        section({
          name,
          method: Type.Optional(literals(["weighted_sum"])),
          inputs: Type.Array(
            section({
              type: Type.String({ minLength: 1, description: "A condition type, kb_metric or projection" }),
              name: Type.Optional(name),
              kb: Type.Optional(name),
              metric: Type.Optional(name),
              weight: Type.Number(),
              value_source: Type.Optional(literals(["", "binary", "confidence", "raw", "score"])),
              match: Type.Optional(Type.Number({ description: "Value of a rule that matches; 1 when left out or 0" })),
              miss: Type.Optional(Type.Number({ description: "Value of a rule that does not; 0 when left out" })),
            }),
            { minItems: 1 },
          ),
        }),
        { description: "Weighted sums over facts" },
      ),
    ),
    mappings: Type.Optional(
      Type.Array(
        section({
          name,
          source: Type.String({ minLength: 1, description: "Name of a score" }),
          method: Type.Optional(
            literals(["threshold_bands", "multi_emit"], { description: "The first output that holds, or all" }),
          ),
          calibration: Type.Optional(
            section({
              method: Type.Optional(literals(["sigmoid_distance"])),
              slope: Type.Optional(Type.Number({ minimum: 0, description: "12 when left out or 0" })),
            }),
          ),
          outputs: Type.Array(section({ name, gt: bound, gte: bound, lt: bound, lte: bound }), { minItems: 1 }),
        }),
        { description: "Bounds of a score; the names of the outputs are what conditions ask for" },
      ),
    ),
  },
  { description: "Facts that are made of the facts of signals" },
)

export type Projections = Static<typeof projectionsSchema>
export type Partition = NonNullable<Projections["partitions"]>[number]
export type Score = NonNullable<Projections["scores"]>[number]
export type ScoreInput = Score["inputs"][number]
export type Mapping = NonNullable<Projections["mappings"]>[number]
export type Output = Mapping["outputs"][number]

/** How an input of type `projection` is meant: the value of a score, or how sure an output is. */
export const asksOutput = ({ value_source: source }: ScoreInput): boolean => source === "confidence"

/** The mapping that has an output of this name. */
export const mappingOf = ({ mappings = [] }: Projections, output: string): Mapping | undefined =>
  mappings.find(({ outputs }) => outputs.some(({ name: each }) => each === output))

/**
 * The scores that these mappings are made of, each after those that it is made of. Scores that wait for each other are left in
 * the order in which they are met; the check of the section refuses them.
 */
export function scoresFor(projections: Projections, mappings: readonly Mapping[]): readonly Score[] {
  const ordered = new Set<Score>()
  const met = new Set<Score>()
  const visit = (score: string | undefined): void => {
    const found = projections.scores?.find(({ name: each }) => each === score)
    if (found === undefined || met.has(found)) return
    met.add(found)
    for (const input of found.inputs)
      if (input.type === "projection")
        visit(asksOutput(input) ? mappingOf(projections, input.name ?? "")?.source : input.name)
    ordered.add(found)
  }
  for (const { source } of mappings) visit(source)
  return [...ordered]
}
