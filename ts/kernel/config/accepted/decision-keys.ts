// Data: keys of decisions that are for people or for parts which the router does not have. Their shapes are
// checked all the same, and so are the rules between them.

import { Type, type TSchema } from "typebox"
import { literals, mapOf, section } from "../../schema/shapes.ts"
import type { Report } from "../../types/module-base.ts"
import { checkIterations, iterationsSchema } from "./candidate-iterations.ts"
import type { MissingSection } from "./missing-sections.ts"

type Json = Readonly<Record<string, unknown>>

const strict = (properties: Readonly<Record<string, TSchema>>): TSchema =>
  section(Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Type.Optional(schema)])))

const enabled = Type.Boolean()
const text = Type.String()

const emits = Type.Array(
  section({
    kind: literals(["retention"]),
    retention: strict({
      drop: enabled,
      ttl_turns: Type.Integer({ minimum: 0 }),
      keep_current_model: enabled,
      prefer_prefix_retention: enabled,
    }),
  }),
)

const map = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {})

export const decisionKeys: readonly MissingSection[] = [
  {
    path: "routing.decisions.*.emits",
    without: "there is no cache of replies, and learning does not read the hints",
    isStrict: true,
    schema: emits,
    check: checkEmits,
  },
  {
    path: "routing.decisions.*.candidateIterations",
    without: "",
    isStrict: true,
    isData: true,
    schema: iterationsSchema,
    check: checkIterations,
  },
  {
    path: "routing.decisions.*.annotations",
    without: "",
    isStrict: true,
    isData: true,
    schema: mapOf(Type.Unknown(), { maxProperties: 32 }),
    check(value, report) {
      const { length } = new TextEncoder().encode(JSON.stringify(value))
      if (length > 4096) report([], `has ${length} bytes as JSON; annotations have at most 4096`)
    },
  },
  {
    path: "routing.decisions.*.modelRefs.*.reasoning_description",
    without: "",
    isStrict: true,
    isData: true,
    schema: text,
  },
  {
    path: "routing.data_policy",
    without: "no request is recorded",
    isStrict: true,
    asks: ({ replay }) => replay === true,
    schema: strict({ replay: enabled }),
  },
]

function checkEmits(value: unknown, report: Report): void {
  const kinds = new Set<unknown>()
  for (const [index, entry] of (value as readonly Json[]).entries()) {
    const { kind } = entry
    const retention = map(entry["retention"])
    if (kinds.has(kind)) report([index, "kind"], `"${String(kind)}" stands twice; write one entry for each kind`)
    kinds.add(kind)
    if (Object.keys(retention).length === 0) report([index], "says nothing about retention", "warning")
    if (retention["drop"] === true && Number(retention["ttl_turns"] ?? 0) > 0)
      report([index, "retention", "ttl_turns"], "contradicts drop: what is dropped is kept for no turn")
  }
}
