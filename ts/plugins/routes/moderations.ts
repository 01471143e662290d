// POST /v1/moderations: what the guards of the document say to texts.

import { defineRoute, type GuardReading, mapOf, operation, RtrError, Type } from "../../kernel/index.ts"
import { chatOperation } from "../_shared/chat-operation.ts"
import { jsonForm, jsonReply } from "../_shared/json-form.ts"
import { toVerdict } from "../_shared/moderation-verdict.ts"

/** Texts are read one after the other. */
const maxTexts = 32

const body = Type.Object({
  input: Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: maxTexts })], {
    description: `A text, or a list of up to ${maxTexts} texts`,
  }),
  model: Type.Optional(
    Type.Union([Type.String({ maxLength: 200 }), Type.Null()], {
      description: "Changes nothing: the guards of the configuration read the texts",
    }),
  ),
})

const ofCategories = <Value>(value: Value, description: string) => mapOf(value as never, { description })

const reply = Type.Object({
  id: Type.String(),
  model: Type.Literal("guards"),
  results: Type.Array(
    Type.Object({
      flagged: Type.Boolean(),
      categories: ofCategories(
        Type.Boolean(),
        "Whether each guard found something; one that could not tell is left out",
      ),
      category_scores: ofCategories(Type.Number(), "The highest score of the guard's rules, 0 to 1"),
      category_applied_input_types: ofCategories(Type.Array(Type.Literal("text")), "What each guard has read"),
      unknown: Type.Optional(
        ofCategories(Type.String(), "Why guards cannot say that there is nothing, as in x-rtr-unknown-signals"),
      ),
    }),
  ),
})

export default defineRoute({
  about: "Moderation of texts by the guards of the configuration",
  listeners: ["inference"],
  operations: [
    operation({
      ...chatOperation,
      id: "moderations.create",
      path: "/v1/moderations",
      about: "Tells what the guards find in texts",
      body,
      form: jsonForm,
      replies: { 200: { about: "A result for each text, in order", schema: reply } },
      needs: ["routing.other", "dialects"],
      setup:
        ({ other, readChat }) =>
        async ({ id, call, body: { input, model } }) => {
          const { answer, readGuards } = other()
          const calls = [input].flat().map((content) => {
            const messages = [{ role: "user", content }]
            return call(readChat("chat_completions", { model: model || "guards", messages }))
          })
          const outcome = await answer(calls[0] as (typeof calls)[number], async (record) => {
            record.path = "guards"
            const results: object[] = []
            for (const each of calls) results.push(toVerdict(checked(await readGuards(each, record))))
            return jsonReply(JSON.stringify({ id: `modr-${id}`, model: "guards", results }))
          })
          return { outcome }
        },
    }),
  ],
})

function checked(readings: readonly GuardReading[]): readonly GuardReading[] {
  if (readings.length > 0) return readings
  throw new RtrError(
    "unsupported_surface",
    "Cannot moderate: no decision of the configuration uses a guard, such as a rule of jailbreak or pii",
  )
}
