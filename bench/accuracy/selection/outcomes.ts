// Which public models answered which exam question rightly, and what a call of each costs.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { repository } from "../../_shared/options.ts"
import { readTable } from "./csv.ts"

/** A model as `models/selection` describes it, which has measured the same ones. */
export interface Model {
  readonly name: string
  readonly chat: boolean
  readonly prompt_per_1m: number
  readonly completion_per_1m: number
  readonly mean_completion_tokens: number
}

export interface Question {
  readonly text: string
  readonly subject: string
  /** The exam within the subject, whose questions are alike. */
  readonly source: string
  /** In the order of the models. */
  readonly right: readonly boolean[]
  /** Dollars for a thousand calls. */
  readonly costs: readonly number[]
  /** Of the recorded reply. */
  readonly characters: readonly number[]
}

export interface Outcomes {
  readonly models: readonly Model[]
  readonly questions: readonly Question[]
}

export const charactersPerToken = 4
const closed = /^gemini/

/** Models that were tuned for chat: those with open weights, or with Gemini as well. */
export function readOutcomes(data: string, pool: "open" | "all"): Outcomes {
  const settings = readFileSync(join(repository, "models/selection/selection.json"), "utf8")
  const models = (JSON.parse(settings) as { readonly models: readonly Model[] }).models.filter(
    ({ name, chat }) => chat && (pool === "all" || !closed.test(name)),
  )
  const asked = readTable(join(data, "router/mmlu_pro_questions.csv.gz"))
  const texts = new Map(asked.map((row) => [row["question_id"], (row["text"] ?? "").trim()]))
  const rows = readTable(join(data, "router/mmlu_pro_model_matrix.csv.gz")).filter((row) =>
    models.every(({ name }) => row[`${name}:ok`] !== ""),
  )
  return {
    models,
    questions: rows.map((row) => {
      const text = texts.get(row["question_id"]) ?? ""
      return {
        text,
        subject: row["category"] ?? "",
        source: row["src"] ?? "",
        right: models.map(({ name }) => Number(row[`${name}:ok`]) === 1),
        costs: models.map((model) => costOf(model, text.length / charactersPerToken, model.mean_completion_tokens)),
        characters: models.map(({ name }) => Number(row[`${name}:out_chars`])),
      }
    }),
  }
}

/** Dollars for a thousand calls. */
export const costOf = (
  { prompt_per_1m: prompt, completion_per_1m: completion }: Model,
  promptTokens: number,
  completionTokens: number,
): number => (promptTokens * prompt + completionTokens * completion) / 1000
