// Loopers over recorded answers: what they cost, and between which bounds their accuracy lies.
//
// Which letter a model chose was not recorded, only whether it was right. So the calls and their sizes are real, and what a
// judge or a synthesis would have made of the answers is assumed: it knows the right one, follows the majority, or adds nothing.

import type { Candidate, ChatRequest } from "../../../ts/kernel/index.ts"
import confidence from "../../../ts/plugins/loopers/confidence.ts"
import fusion from "../../../ts/plugins/loopers/fusion.ts"
import ratings from "../../../ts/plugins/loopers/ratings.ts"
import remom from "../../../ts/plugins/loopers/remom.ts"
import workflows from "../../../ts/plugins/loopers/workflows.ts"
import {
  chatRequest,
  type LooperContractOptions,
  looperCall,
  looperOf,
  modelReply,
  textTurn,
  wholeReply,
} from "../../../ts/testing/index.ts"
import { createRandom } from "../../inference/random.ts"
import { type Estimate, estimate, round } from "../figures/bootstrap.ts"
import { charactersPerToken, costOf, type Model, type Outcomes, type Question } from "./outcomes.ts"

/** From small to large. */
const panel = ["Phi-3-mini-4k-instruct", "Meta-Llama-3_1-8B-Instruct", "Meta-Llama-3_1-70B-Instruct"]
const largest = panel[2] as string
const everySo = 8
const seed = 20_260_106

interface Case {
  readonly right: boolean
  readonly cost: number
  readonly calls: number
}

export interface LooperFigures {
  readonly looper: string
  readonly assumed: string
  /** Calls for one question. */
  readonly calls: number
  /** Dollars for a thousand questions. */
  readonly cost: number
  readonly accuracy: Estimate
}

type Synthesis =
  | "finds the right answer among those that it reads"
  | "follows the majority"
  | "answers as it would alone"

interface Setup {
  readonly looper: string
  readonly module: unknown
  readonly options: object
  /** How often a verdict on a reply is right; loopers without verdicts leave it out. */
  readonly judge?: number
  readonly synthesis?: Synthesis
}

const syntheses: readonly Synthesis[] = [
  "finds the right answer among those that it reads",
  "follows the majority",
  "answers as it would alone",
]
const verdicts = [1, 0.9, 0.75, 0.5]

const setups: readonly Setup[] = [
  ...verdicts.map((judge) => ({
    looper: "confidence",
    module: confidence,
    options: { confidence_method: "avg_logprob", threshold: 0.5 },
    judge,
  })),
  { looper: "ratings", module: ratings, options: {} },
  ...syntheses.flatMap((synthesis) => [
    { looper: "remom", module: remom, options: { breadth_schedule: [3], synthesis_model: largest }, synthesis },
    { looper: "fusion", module: fusion, options: { model: largest }, synthesis },
    {
      looper: "workflows",
      module: workflows,
      options: {
        mode: "static",
        roles: [{ name: "draft", models: panel.slice(0, 2), prompt: "Answer the question." }],
        final: { model: largest, prompt: "Answer with what the drafts have got right." },
      },
      synthesis,
    },
  ]),
]

export interface LoopersResult {
  readonly questions: number
  readonly panel: readonly string[]
  readonly singles: readonly { readonly model: string; readonly cost: number; readonly accuracy: number }[]
  readonly loopers: readonly LooperFigures[]
}

export async function measureLoopers({ models, questions }: Outcomes): Promise<LoopersResult> {
  const places = panel.map((name) => models.findIndex((model) => model.name === name))
  const asked = questions.filter((_, row) => row % everySo === 0)
  const measured: LooperFigures[] = []
  for (const setup of setups) {
    const random = createRandom(seed)
    const { module, options } = setup
    const looper = await looperOf(module as never, { options } as LooperContractOptions, candidatesOf(models, places))
    const cases: Case[] = []
    for (const question of asked) cases.push(await ask(looper, setup, { question, models, places, random }))
    measured.push(figuresOf(setup, cases))
  }
  const singles = places.map((place, index) => ({
    model: panel[index] as string,
    // The recorded reply, as in the loopers, and not the mean one.
    cost: round(
      mean(
        asked.map((question) =>
          costOfReply(models[place] as Model, question.text, question.characters[place] as number),
        ),
      ),
    ),
    accuracy: round(mean(asked.map(({ right }) => Number(right[place])))),
  }))
  return { questions: asked.length, panel, singles, loopers: measured }
}

interface Scene {
  readonly question: Question
  readonly models: readonly Model[]
  readonly places: readonly number[]
  readonly random: () => number
}

async function ask(
  looper: Awaited<ReturnType<typeof looperOf>>,
  { judge = 1, synthesis }: Setup,
  { question, models, places, random }: Scene,
): Promise<Case> {
  let cost = 0
  const { call, asked } = looperCall(
    ({ candidate, request }) => {
      const index = typeof candidate === "number" ? candidate : panel.indexOf(candidate)
      const place = places[index] as number
      const said = textOf(request)
      const read = verdictsIn(said)
      const alone = question.right[place] === true
      const isRight = read.length === 0 || synthesis === undefined ? alone : synthesise(synthesis, read, alone)
      const characters = question.characters[place] as number
      cost += costOfReply(models[place] as Model, said, characters)
      const isThoughtRight = random() < judge ? isRight : !isRight
      const mark = `[[${isRight ? "right" : "wrong"}:${index}]]`
      return modelReply(mark + "x".repeat(Math.max(0, characters - mark.length)), [[isThoughtRight ? -0.1 : -2.9, -6]])
    },
    { text: question.text, request: chatRequest([textTurn("user", question.text)]) },
  )
  const reply = wholeReply(await looper.run(call))
  const texts = reply.choices.map(({ blocks }) => blocks.map((block) => ("text" in block ? block.text : "")).join(""))
  return { right: texts.some((text) => text?.startsWith("[[right")), cost, calls: asked.length }
}

/** The last verdict of each model in what a prompt quotes. */
function verdictsIn(text: string): readonly boolean[] {
  const found = [...text.matchAll(/\[\[(right|wrong):(\d+)\]\]/g)]
  return [...new Map(found.map(([, verdict, model]) => [model, verdict === "right"])).values()]
}

function synthesise(synthesis: Synthesis, read: readonly boolean[], alone: boolean): boolean {
  if (synthesis === "answers as it would alone") return alone
  if (synthesis === "finds the right answer among those that it reads") return read.some(Boolean)
  const right = read.filter(Boolean).length
  return right * 2 === read.length ? alone : right * 2 > read.length
}

const textOf = ({ turns }: ChatRequest): string =>
  turns.flatMap(({ blocks }) => blocks.map((block) => ("text" in block ? (block.text ?? "") : ""))).join("\n")

const costOfReply = (model: Model, prompt: string, characters: number): number =>
  costOf(model, prompt.length / charactersPerToken, characters / charactersPerToken)

const candidatesOf = (models: readonly Model[], places: readonly number[]): readonly Candidate[] =>
  places.map((place, index) => {
    const { name, prompt_per_1m: promptPer1m, completion_per_1m: completionPer1m } = models[place] as Model
    return {
      model: name,
      score: 1,
      pricing: { currency: "USD", promptPer1m, completionPer1m, cachedInputPer1m: promptPer1m },
      card: { name, param_size: ["4B", "8B", "70B"][index] },
    }
  })

function figuresOf({ looper, judge, synthesis }: Setup, cases: readonly Case[]): LooperFigures {
  const { accuracy } = estimate(cases, (drawn) => ({ accuracy: mean(drawn.map(({ right }) => Number(right))) }))
  return {
    looper,
    assumed:
      synthesis !== undefined
        ? `the synthesis ${synthesis}`
        : judge !== undefined
          ? `the confidence tells right from wrong ${judge * 100} times of 100`
          : "the client picks the right one of the choices",
    calls: round(mean(cases.map(({ calls }) => calls))),
    cost: round(mean(cases.map(({ cost }) => cost))),
    accuracy: accuracy as Estimate,
  }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
