// An arena: asks all models at once and answers with what each of them says.

import {
  defineLooper,
  literals,
  type LooperAnswer,
  type LooperCall,
  RtrError,
  section,
  Type,
} from "../../kernel/index.ts"
import { type Answered, askAll, firstFailure, type Question } from "../_shared/loopers/ask-all.ts"
import { replyFields } from "../_shared/loopers/reply-fields.ts"
import { looperIntegration } from "../_shared/loopers/integration.ts"
import { asHelper } from "../_shared/loopers/requests.ts"
import { readableText, reasoningOfReply } from "../_shared/loopers/replies.ts"

const options = section({
  max_concurrent: Type.Optional(
    Type.Integer({ minimum: 0, description: "Models that are asked at a time; all of them when left out or 0" }),
  ),
  on_error: Type.Optional(
    literals(["skip", "fail"], {
      description: "A model that fails: leave it out, or refuse the request; skip when left out",
    }),
  ),
})

export default defineLooper({
  about: "Asks all models of the decision at once and answers with one choice for each of them",
  options,
  settings: looperIntegration,
  setup(entry, { candidates }) {
    const { max_concurrent: maxConcurrent, on_error: onError = "skip" } = entry
    const names = candidates.map(({ model }) => model)
    return {
      async run(call: LooperCall): Promise<LooperAnswer> {
        const questions = candidates.map((_, model) => ({ model, request: asHelper(call.request) }))
        if (questions.length === 0)
          throw new RtrError("no_model_selected", `Decision "${call.decision}" has no model to ask`)
        const soFar: Rating[] = []
        const all = await askAll(call, questions, {
          maxConcurrent: maxConcurrent || undefined,
          failsAtOnce: onError === "fail",
          onAnswer(rating) {
            soFar.push(rating)
            call.keep(answerOf(soFar, names))
          },
        })
        if (all.answers.length === 0) throw firstFailure(all)
        return answerOf(all.answers, names)
      },
    }
  },
})

type Rating = Answered<Question & { readonly model: number }>

function answerOf(ratings: readonly Rating[], names: readonly string[]): LooperAnswer {
  const [{ question, reply: first }] = ratings as readonly [Rating]
  const models = ratings.map(({ question: { model } }) => names[model] ?? "")
  return {
    reply: {
      id: first.id,
      model: models.join(","),
      created: first.created,
      // One choice of each, even where a backend gave several.
      choices: ratings.flatMap(({ reply }) => reply.choices.slice(0, 1)),
    },
    candidate: question.model,
    reason: `${ratings.length} of ${names.length} models answered`,
    extensions: replyFields({ ratings: { models } }),
    responses: ratings.map(({ reply }, index) => ({
      model: models[index] ?? "",
      text: readableText(reply),
      reasoning: reasoningOfReply(reply),
    })),
  }
}
