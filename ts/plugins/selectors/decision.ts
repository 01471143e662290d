// Asks a decision model which candidate should answer.

import { defineSelector, mapOf, RtrError, section, Type } from "../../kernel/index.ts"

const options = section({
  deployment: Type.Optional(
    Type.String({ minLength: 1, description: "Model that answers the question; the built-in one when left out" }),
  ),
  instructions: Type.Optional(Type.String({ minLength: 1, description: "The question" })),
  candidates: Type.Optional(
    mapOf(Type.String(), {
      description: "What each model is for; the card's description where it is left out",
    }),
  ),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 1, description: "Longest wait; that of signals when left out" })),
})

const usualInstructions = "Which model should answer this request?"
/** Options of a choice. */
const [least, most] = [2, 255]

export default defineSelector({
  about: "Asks a decision model which candidate should answer",
  needs: ["inference.decide"],
  options,
  check({ candidates = {}, deployment }, report, { document, modelRefs }) {
    const names = new Set(modelRefs.map(({ model, lora_name: lora }) => lora ?? model))
    if (names.size < least || names.size > most)
      report([], `needs ${least} to ${most} different models in modelRefs, and there are ${names.size}`)
    for (const name of Object.keys(candidates))
      if (!names.has(name)) report(["candidates", name], "is not among the models of this decision")
    if (deployment !== undefined && !deploymentsOf(document).has(deployment))
      report(["deployment"], `"${deployment}" is not in global.model_catalog.deployments`)
  },
  setup({ instructions = usualInstructions, candidates: described = {}, timeout_ms: timeoutMs }, { candidates }) {
    const names = candidates.map(({ model }) => model)
    const choices = candidates.map(({ model, card }) => ({
      key: model,
      description: described[model] || (card?.["description"] as string | undefined) || model,
    }))
    const question = { type: "choice" as const, instructions, choices }
    return {
      async select({ text }, { decide }) {
        const answer = await within(timeoutMs, decide(text, question))
        const candidate = answer.type === "choice" ? names.indexOf(answer.choice) : -1
        if (answer.type !== "choice" || candidate < 0)
          throw new RtrError("invalid_model_output", "The decision model named no candidate")
        return { candidate, confidence: answer.confidence, reason: "the decision model chose it" }
      },
    }
  },
})

async function within<Value>(ms: number | undefined, work: Promise<Value>): Promise<Value> {
  if (ms === undefined) return work
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RtrError("deadline_exceeded", `No answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function deploymentsOf(document: object): ReadonlySet<string> {
  const { global } = document as { global?: { model_catalog?: { deployments?: object } } }
  return new Set(Object.keys(global?.model_catalog?.deployments ?? {}))
}
