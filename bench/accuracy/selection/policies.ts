// The selectors as a document would set them up, with a setting for each point of their curves.

import { type BatchedQuestions, type Candidate, isRtrError, type SelectorModule } from "../../../ts/kernel/index.ts"
import automix from "../../../ts/plugins/selectors/automix.ts"
import decision from "../../../ts/plugins/selectors/decision.ts"
import hybrid from "../../../ts/plugins/selectors/hybrid.ts"
import kmeans from "../../../ts/plugins/selectors/kmeans.ts"
import knn from "../../../ts/plugins/selectors/knn.ts"
import mlp from "../../../ts/plugins/selectors/mlp.ts"
import multiFactor from "../../../ts/plugins/selectors/multi-factor.ts"
import routerDc from "../../../ts/plugins/selectors/router-dc.ts"
import staticSelector from "../../../ts/plugins/selectors/static.ts"
import svm from "../../../ts/plugins/selectors/svm.ts"
import { createFakeStores, signalInput } from "../../../ts/testing/index.ts"
import { costWeights, type Fitted } from "./artefacts.ts"
import { descriptions } from "./descriptions.ts"
import { meanOf } from "./fit.ts"
import type { Outcomes, Question } from "./outcomes.ts"

type AnySelector = SelectorModule<never, never, never>

interface Setting {
  readonly name: string
  readonly options?: object
  /** `global.router.model_selection` */
  readonly settings?: object
}

interface Policy {
  readonly name: string
  readonly selector: unknown
  settings(fitted: Fitted): readonly Setting[]
}

const trained = (name: string, selector: unknown): Policy => ({
  name,

  selector,
  settings: ({ artefacts }) =>
    costWeights.map((weight) => ({ name: `cost ${weight}`, settings: { ml: { models_path: artefacts(weight) } } })),
})

const shares = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1]

const policies: readonly Policy[] = [
  { name: "static", selector: staticSelector, settings: () => [{ name: "the first of modelRefs" }] },
  {
    name: "multi_factor",
    selector: multiFactor,
    settings: () => shares.map((cost) => ({ name: `cost ${cost}`, options: { weights: { quality: 1 - cost, cost } } })),
  },
  {
    name: "automix",
    selector: automix,
    settings: () =>
      shares.map((tradeoff) => ({ name: `tradeoff ${tradeoff}`, options: { cost_quality_tradeoff: tradeoff } })),
  },
  { name: "router_dc", selector: routerDc, settings: () => [{ name: "defaults" }] },
  {
    name: "hybrid",
    selector: hybrid,
    settings: () => [
      { name: "defaults" },
      ...[0.25, 0.5, 1].map((cost_weight) => ({ name: `cost ${cost_weight}`, options: { cost_weight } })),
      { name: "automix 1", options: { automix_weight: 1 } },
    ],
  },
  trained("knn", knn),
  trained("kmeans", kmeans),
  trained("svm", svm),
  trained("mlp", mlp),
  {
    name: "selection.json",
    selector: mlp,
    settings: ({ predictor }) =>
      costWeights.map((cost_weight) => ({
        name: `cost_weight ${cost_weight}`,
        settings: { ml: { mlp: { pretrained_path: predictor }, cost_weight } },
      })),
  },
]

/** Which model each question went to, by policy and setting. */
export type Chosen = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>

export interface Ground {
  readonly outcomes: Outcomes
  readonly training: readonly Question[]
  readonly vectorOf: (text: string) => Float32Array
}

/** Every policy over questions of subjects that `fitted` has not seen. Throws where a selector complains. */
export async function choose(asked: readonly Question[], fitted: Fitted, ground: Ground): Promise<Chosen> {
  const inputs = asked.map(({ text }) => signalInput(text, []))
  const chosen = new Map<string, Map<string, readonly number[]>>()
  for (const { name, selector, settings } of policies) {
    const found = new Map<string, readonly number[]>()
    for (const setting of settings(fitted)) {
      const reader = await open(selector, setting, ground)
      const choices: number[] = []
      for (const input of inputs) choices.push(await reader.choose(input))
      found.set(setting.name, choices)
    }
    chosen.set(name, found)
  }
  return chosen
}

/** `decision`, which asks its model about some of the questions. One that the model refuses goes to the first candidate, as in the router. */
export async function chooseByQuestion(
  asked: readonly Question[],
  ground: Ground,
  decide: BatchedQuestions["decide"],
): Promise<{ readonly choices: readonly number[]; readonly refused: number }> {
  const instructions = "Which model should answer this exam question?"
  const reader = await open(decision, { name: "defaults", options: { instructions } }, ground, decide)
  let refused = 0
  const choices = asked.map(({ text }) =>
    reader.choose(signalInput(text, [])).catch((error: unknown) => {
      if (!isRtrError(error)) throw error
      refused += 1
      return 0
    }),
  )
  return { choices: await Promise.all(choices), refused }
}

async function open(
  selector: unknown,
  { options = {}, settings = {} }: Setting,
  { outcomes, training, vectorOf }: Ground,
  decide?: BatchedQuestions["decide"],
) {
  const { setup } = selector as AnySelector
  const embed = async (text: string) => vectorOf(text)
  const host = {
    decision: "bench",
    candidates: candidatesOf(outcomes, training),
    figures: () => ({ inFlight: 0, firstByteMs: [], perTokenMs: [] }),
    settings,
    log: (_level: string, event: string, fields: object = {}) => {
      throw new Error(`The selector says ${event}: ${JSON.stringify(fields)}`)
    },
    embedAll: (texts: readonly string[]) => Promise.all(texts.map(embed)),
    ...createFakeStores(),
  }
  const reader = await setup(options as never, host as never)
  return {
    choose: async (input: ReturnType<typeof signalInput>): Promise<number> =>
      (await reader.select(input, { embed, decide } as never)).candidate,
  }
}

/** The quality of a model is its share of right answers among what trains. */
const candidatesOf = ({ models }: Outcomes, training: readonly Question[]): readonly Candidate[] =>
  models.map(({ name, prompt_per_1m: promptPer1m, completion_per_1m: completionPer1m }, model) => ({
    model: name,
    score: 1,
    pricing: { currency: "USD", promptPer1m, completionPer1m, cachedInputPer1m: promptPer1m },
    card: {
      name,
      quality_score: meanOf(training.map(({ right }) => Number(right[model]))),
      description: descriptions[name],
    },
  }))
