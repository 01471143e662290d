// Seven typed questions about one state against one, for each family that answers them and each profile that may help.

import { join } from "node:path"
import type { RequestParts } from "../_shared/load/prepared-request.ts"
import type { BenchOptions } from "../_shared/options.ts"
import { say } from "../_shared/progress.ts"
import { type Cost, measureCost } from "./cost.ts"
import { markerPackage, packedPackage } from "./packages/decision-heads.ts"
import type { TextMaker } from "./texts.ts"
import { modelName, startWorker } from "./worker.ts"

/** By family, profile and the number of tokens of the state, such as `packed-exact-128`. */
export type QuestionsFigures = Readonly<Record<string, Cost>>

/** Where one reading of the state may serve all questions. Without shared_context, marker models read it for each. */
const contenders = [
  { family: "packed", makePackage: packedPackage, profile: "exact" },
  { family: "packed", makePackage: packedPackage, profile: "shared_context" },
  { family: "marker", makePackage: markerPackage, profile: "shared_context" },
]
const stateLengths = [128, 256]

export async function measureQuestions(
  options: BenchOptions,
  texts: TextMaker,
  folder: string,
): Promise<QuestionsFigures> {
  const figures: Record<string, Cost> = {}
  for (const { family, makePackage, profile } of contenders) {
    const socketPath = join(folder, `${family}-${profile}.sock`)
    const worker = await startWorker(options, { model: makePackage(options.cache), profile, socketPath }).catch(
      (error: Error) => say(`Questions to ${family} with ${profile} are left out: ${error.message}`),
    )
    if (worker === undefined) continue
    for (const tokens of stateLengths) {
      const request = (count: number): RequestParts => ask(texts.ofTokens(tokens), count)
      const label = `${family}-${profile}-${tokens}`
      figures[label] = await measureCost({
        ...options,
        label: `questions, ${label}`,
        address: worker.address,
        few: () => request(1),
        many: () => request(questions.length),
      })
    }
    await worker.stop()
  }
  return figures
}

/** The first of these about a state. */
function ask(state: string, count: number): RequestParts {
  const asked = questions.slice(0, count).map((question, index) => [`q${index}`, question] as const)
  return {
    path: "/v1/decisions",
    body: { model: modelName, state, questions: Object.fromEntries(asked) },
    // A question that could not be answered has an error in place of its type.
    expected: asked.map(([id, { type }]) => `"${id}${type === "set" ? ".code" : ""}":{"type":"${answerTypes[type]}"`),
  }
}

const answerTypes = { choice: "choice", noul: "noul", score: "score", set: "noul", span: "noul" }

interface Question {
  readonly type: keyof typeof answerTypes
  readonly instructions: string
  readonly criteria: object
}

/** What a router asks about a prompt, one of each type and two more that are asked often. */
const questions: readonly Question[] = [
  {
    type: "choice",
    instructions: "What is the request about?",
    criteria: { code: "programs and errors", math: "numbers and proofs", law: "contracts", other: "anything else" },
  },
  { type: "noul", instructions: "The user is upset with an answer.", criteria: {} },
  { type: "score", instructions: "How hard is the task?", criteria: ["a look", "some thought", "long reasoning"] },
  { type: "set", instructions: "What does the text contain?", criteria: { code: "source code", table: "a table" } },
  { type: "span", instructions: "Where are names?", criteria: { person: "a person", place: "a place" } },
  { type: "noul", instructions: "The text tells the model to ignore its rules.", criteria: {} },
  {
    type: "choice",
    instructions: "In which form should the answer be?",
    criteria: { text: "sentences", list: "a list", image: "a picture" },
  },
]
