// Keys that every looper has: bounds of its work, and the form of its answer. Loaded where there are loopers.

import { Type } from "typebox"
import type { JsonValue } from "../types/store.ts"
import type { LooperKeys } from "../types/looper.ts"
import type { Report } from "../types/module-base.ts"
import { duration, literals, mapOf, section } from "./shapes.ts"

const words = Type.String({ minLength: 1, pattern: "\\S" })

const budget = section(
  {
    deadline: Type.Optional(duration),
    max_calls: Type.Optional(Type.Integer({ minimum: 1, description: "Model calls for one request" })),
    max_cost: Type.Optional(
      Type.Number({
        minimum: 0,
        description: "No call begins when those before it cost so much, in the currency of the models' prices",
      }),
    ),
  },
  { description: "Bounds of one request; when one is used up, the best answer so far is the reply" },
)

const plainValue = Type.Unsafe<JsonValue>({ type: ["string", "number", "boolean", "array"] })

const sources = ["content", "reasoning_content", "candidate_responses"] as const

const outputContract = section(
  {
    type: Type.Optional(literals(["choice", "structured_json", "reference_selection", ""])),
    choice_set: Type.Optional(section({ values: Type.Array(words, { minItems: 1 }) })),
    json_schema: Type.Optional(section({ schema_ref: literals(["terminal_action_v1"]) })),
    reference: Type.Optional(
      section({
        source: Type.Optional(literals(["candidate_responses"])),
        id_format: Type.Optional(literals(["index", "reference_number"])),
      }),
    ),
    extract: Type.Optional(
      section({
        mode: Type.Optional(literals(["exact", "json_object"])),
        sources: Type.Optional(Type.Array(literals(sources), { uniqueItems: true })),
      }),
    ),
    normalize: Type.Optional(
      section({
        field_order: Type.Optional(Type.Array(words, { uniqueItems: true })),
        defaults: Type.Optional(mapOf(plainValue)),
      }),
    ),
    postprocess: Type.Optional(Type.Array(section({ type: literals(["dereference_selected_reference"]) }))),
    render: Type.Optional(
      section({ mode: Type.Optional(literals(["value", "template"])), template: Type.Optional(Type.String()) }),
    ),
    on_violation: Type.Optional(
      section({
        repair: Type.Optional(Type.Boolean({ description: "The model is asked once more" })),
        fallback: Type.Optional(Type.String({ description: "Replaces an answer without the form" })),
      }),
    ),
  },
  { description: "The form that the answer of a looper has to have" },
)

export const looperKeys: LooperKeys = {
  algorithm: {
    on_error: Type.Optional(literals(["skip", "fail"], { description: "For a block that does not say it itself" })),
    minimum_candidates: Type.Optional(Type.Integer({ minimum: 1, description: "Models that the decision must have" })),
    budget: Type.Optional(budget),
  },
  decision: {
    output_contract: Type.Optional(
      Type.String({ description: "How the answer has to look, in words; loopers tell it to the models" }),
    ),
    output_contract_spec: Type.Optional(outputContract),
  },
  check(entry, report, isLooper) {
    const { output_contract: contract, output_contract_spec: spec, algorithm, modelRefs = [] } = entry as Entry
    if (!isLooper) {
      if (contract !== undefined && contract.trim() !== "")
        report(["output_contract"], "has no effect: the decision's algorithm is no looper", "warning")
      if (spec !== undefined && Object.keys(spec).length > 0)
        report(["output_contract_spec"], "has no effect: the decision's algorithm is no looper", "warning")
    }
    if (spec !== undefined) checkOutput(spec, (path, message) => report(["output_contract_spec", ...path], message))
    const { minimum_candidates: minimum = 0 } = algorithm ?? {}
    // A decision without models waits for somebody to bind some.
    if (isLooper && modelRefs.length > 0 && modelRefs.length < minimum)
      report(
        ["modelRefs"],
        `must have ${minimum} models, as algorithm.minimum_candidates says; got ${modelRefs.length}`,
      )
  },
}

interface Entry {
  readonly output_contract?: string
  readonly output_contract_spec?: Spec
  readonly algorithm?: { readonly minimum_candidates?: number }
  readonly modelRefs?: readonly unknown[]
}
interface Spec {
  readonly type?: string
  readonly choice_set?: { readonly values: readonly string[] }
  readonly json_schema?: object
  readonly extract?: { readonly mode?: string }
  readonly postprocess?: readonly unknown[]
  readonly render?: { readonly mode?: string; readonly template?: string }
}

function checkOutput(spec: Spec, report: Report): void {
  const { type = "", choice_set: set, json_schema: schema, extract, postprocess = [], render } = spec
  if (type === "choice") {
    if (set === undefined) report(["choice_set"], "is missing; type choice needs its values")
    const values = (set?.values ?? []).map((value) => value.trim().toLowerCase())
    if (new Set(values).size < values.length) report(["choice_set", "values"], "must differ by more than upper case")
  } else if (set !== undefined) report(["choice_set"], "belongs to type choice")
  if (type === "structured_json") {
    if (schema === undefined)
      report(["json_schema"], 'is missing; type structured_json needs schema_ref "terminal_action_v1"')
  } else if (schema !== undefined) report(["json_schema"], "belongs to type structured_json")
  if (extract?.mode === "json_object" && type !== "structured_json")
    report(["extract", "mode"], "json_object belongs to type structured_json")
  if (type === "" && postprocess.length === 0) report(["type"], "is missing, or postprocess, which works without it")
  if (render?.mode === "template" && !/\{choice\}|\{\{choice\}\}/.test(render.template ?? ""))
    report(["render", "template"], "must have {choice} or {{choice}}")
}
