// `decisions[].candidateIterations`: loops over models, which add candidates to the decision. They are written out as
// candidates before the document is checked, so that nothing else knows of them.

import { Type } from "typebox"
import { literals, section } from "../../schema/shapes.ts"
import type { Report } from "../../types/module-base.ts"
import { isMap, type Json } from "./plugins-in.ts"

export const iterationsSchema = Type.Array(
  section({
    variable: Type.String({ minLength: 1, pattern: "\\S" }),
    source: literals(["decision.candidates", "models"]),
    // Names, or entries as modelRefs has them, which are checked when they stand there.
    models: Type.Optional(Type.Array(Type.Unsafe({ type: ["string", "object"], minLength: 1 }))),
    outputs: Type.Optional(Type.Array(section({ type: literals(["model"]), value: Type.String() }))),
  }),
)

/** Problems between the parts of the loops of `decision`; a model that nothing declares is left out. */
export function checkIterations(iterations: unknown, report: Report, decision: unknown, document: unknown): void {
  for (const [index, iteration] of listOf(iterations).entries()) {
    const { variable, source, models, outputs } = mapOf(iteration)
    if (source === "decision.candidates" && listOf(mapOf(decision)["modelRefs"]).length === 0)
      report([index, "source"], "goes through the modelRefs of the decision, which has none")
    if (source === "models" && listOf(models).length === 0)
      report([index, "models"], "is empty; source models goes through them")
    for (const [position, output] of listOf(outputs).entries())
      if (mapOf(output)["value"] !== variable)
        report([index, "outputs", position, "value"], `must be the variable of the loop, "${String(variable)}"`)
    const known = knownModels(document)
    for (const [position, model] of listOf(models).entries())
      if (known.size > 0 && !known.has(nameOf(model)))
        report(
          [index, "models", position],
          `"${String(nameOf(model))}" is neither a model nor a LoRA; it is left out`,
          "warning",
        )
  }
}

/** The document with the models of all loops among the candidates of their decisions. */
export function expandIterations(document: unknown): unknown {
  const { routing } = mapOf(document)
  if (!isMap(routing) || !Array.isArray(routing["decisions"])) return document
  const known = knownModels(document)
  const decisions = routing["decisions"].map((decision: unknown): unknown => {
    if (!isMap(decision) || !Array.isArray(decision["candidateIterations"])) return decision
    const refs = listOf(decision["modelRefs"])
    const names = new Set(refs.map(nameOf))
    const added = decision["candidateIterations"].flatMap((iteration: unknown) => {
      const { source, models } = mapOf(iteration)
      return source === "models" ? listOf(models) : []
    })
    const more = new Map(added.map((model): [unknown, unknown] => [nameOf(model), model]).toReversed())
    const wanted = [...new Set(added.map(nameOf))].filter(
      (name) => !names.has(name) && (known.size === 0 || known.has(name)),
    )
    return { ...decision, modelRefs: [...refs, ...wanted.map((name) => refOf(more.get(name)))] }
  })
  return { ...mapOf(document), routing: { ...routing, decisions } }
}

/** The name under which a model of a loop, or of modelRefs, is called. */
const nameOf = (model: unknown): unknown => (isMap(model) ? (model["lora_name"] ?? model["model"]) : model)
const refOf = (model: unknown): unknown => (isMap(model) ? model : { model })

function knownModels(document: unknown): ReadonlySet<unknown> {
  const { routing, providers } = mapOf(document)
  const models = listOf(mapOf(providers)["models"]).map((model) => mapOf(model)["name"])
  const cards = listOf(mapOf(routing)["modelCards"])
  const loras = cards.flatMap((card) => listOf(mapOf(card)["loras"])).map((lora) => mapOf(lora)["name"])
  return new Set([...(models.length > 0 ? models : cards.map((card) => mapOf(card)["name"])), ...loras])
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const mapOf = (value: unknown): Json => (isMap(value) ? value : {})
