// Rounds of parallel reasoning: each round reads what the one before it said, and one model gives the answer.

import {
  type ChatRequest,
  defineLooper,
  literals,
  type JsonValue,
  type LooperAnswer,
  type LooperCall,
  RtrError,
  section,
  type Static,
  Type,
} from "../../kernel/index.ts"
import { type Answered, askAll, firstFailure, type Question } from "../_shared/loopers/ask-all.ts"
import { bytesPerToken, lastTokens } from "../_shared/loopers/compact.ts"
import { distributeCalls, shuffled } from "../_shared/loopers/distribute.ts"
import { createLongestAnswer } from "../_shared/loopers/longest-answer.ts"
import { compileTemplate, type Template } from "../_shared/loopers/go-template.ts"
import { replyFields } from "../_shared/loopers/reply-fields.ts"
import { looperIntegration } from "../_shared/loopers/integration.ts"
import { callsTools, readableText, reasoningOfReply, textOfReply } from "../_shared/loopers/replies.ts"
import { asHelper, withLastPrompt, withLimits } from "../_shared/loopers/requests.ts"
import { roundLimits, roundOptions } from "../_shared/loopers/rounds.ts"
import { withTimeLimit } from "../_shared/loopers/time-limit.ts"

/** What one request may cost at most is for `budget` to say; this keeps a mistyped number from starting a flood. */
const maxBreadth = 64

const options = section({
  ...roundOptions,
  breadth_schedule: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: maxBreadth }), {
      minItems: 1,
      maxItems: 16,
      description: "Calls of each round; a last round of one call follows. [4] without the block",
    }),
  ),
  model_distribution: Type.Optional(
    literals(["weighted", "equal", "round_robin", "first_only"], {
      description: "Which models get the calls of a round; weighted by modelRefs[].weight when left out",
    }),
  ),
  include_reasoning: Type.Optional(Type.Boolean({ description: "The next round reads the reasoning as well" })),
  compaction_strategy: Type.Optional(
    literals(["full", "last_n_tokens"], {
      description: "How much of each reply the next round reads; full when left out",
    }),
  ),
  compaction_tokens: Type.Optional(
    Type.Integer({ minimum: 0, description: "Tokens of last_n_tokens; 1000 when left out or 0" }),
  ),
  synthesis_template: Type.Optional(
    Type.String({
      description:
        "Prompt of the rounds after the first, with .OriginalContent and .ReferenceResponses (Content, Reasoning, Model)",
    }),
  ),
  synthesis_model: Type.Optional(
    Type.String({ minLength: 1, description: "Model of the last call, one of modelRefs" }),
  ),
  max_responses_per_round: Type.Optional(
    Type.Integer({ minimum: 0, description: "Replies that the next round reads; all of them when left out or 0" }),
  ),
  shuffle_seed: Type.Optional(Type.Integer({ description: "Order of calls and replies; 0 when left out" })),
  on_error: Type.Optional(
    literals(["skip", "fail"], {
      description: "A call that fails: go on without it, or refuse the request; skip when left out",
    }),
  ),
})

type Options = Static<typeof options>

export default defineLooper({
  about:
    "Asks several models in rounds, each of which reads the replies of the round before, and has one of them answer",
  options,
  settings: looperIntegration,
  modelNames: { key: "remom", names: ["rtr/remom", "vllm-sr/remom"] },
  check(entry, report, { candidates } = { candidates: [], models: new Set() }) {
    const { breadth_schedule: schedule, synthesis_model: model, synthesis_template: template } = entry
    if (schedule === undefined && Object.keys(entry).some((key) => key !== "on_error"))
      report(["breadth_schedule"], "is missing; it says how many calls each round has, such as [3, 2]")
    if (model !== undefined && candidates.length > 0 && !candidates.includes(model))
      report(["synthesis_model"], `must be one of the decision's modelRefs, which are ${candidates.join(", ")}`)
    if (template !== undefined)
      try {
        compileTemplate(template)
      } catch (error) {
        report(["synthesis_template"], (error as Error).message)
      }
  },
  setup(entry, { candidates }) {
    const { synthesis_model: model, synthesis_template: template } = entry
    const plan: Plan = {
      entry,
      rounds: entry.breadth_schedule ?? [4],
      models: candidates.map((candidate) => candidate.model),
      weights: candidates.map(({ weight = 0 }) => weight),
      last: candidates.findIndex((candidate) => candidate.model === model),
      template: compileTemplate(template || (entry.include_reasoning === true ? promptWithReasoning : prompt)),
      // Without a block the format has a temperature of its own.
      temperature: entry.breadth_schedule === undefined ? 1 : entry.temperature || undefined,
    }
    return { run: (call) => runRounds(plan, call) }
  },
})

interface Plan {
  readonly entry: Options
  readonly rounds: readonly number[]
  readonly models: readonly string[]
  readonly weights: readonly number[]
  /** Position of the model of the last call; -1 for the one that the distribution gives. */
  readonly last: number
  readonly template: Template
  readonly temperature: number | undefined
}

interface Asked extends Question {
  readonly model: number
}

interface Said {
  readonly model: string
  readonly text: string
  readonly reasoning: string
  /** What the next round reads of the text. */
  readonly compacted: string
}

async function runRounds(plan: Plan, call: LooperCall): Promise<LooperAnswer> {
  const { entry, rounds, models, weights } = plan
  if (models.length === 0) throw new RtrError("no_model_selected", `Decision "${call.decision}" has no model to ask`)
  const { model_distribution: distribution = "weighted", shuffle_seed: seed = 0, on_error: onError = "skip" } = entry
  const limits = { temperature: plan.temperature, maxOutputTokens: entry.max_completion_tokens || undefined }
  const heard: (readonly Said[])[] = []
  const longest = createLongestAnswer(call, "the longest reply of the rounds")
  let request = call.request
  try {
    for (const calls of rounds) {
      const asked = withLimits(asHelper(request), limits)
      const questions = distributeCalls(calls, weights, distribution, seed).map((model): Asked => ({
        model,
        request: asked,
      }))
      const all = await askAll(call, questions, {
        ...roundLimits(entry),
        failsAtOnce: onError === "fail",
        onAnswer: longest.note,
      })
      if (all.answers.length === 0) throw firstFailure(all)
      const said = shuffled(all.answers, seed).map((answer) => toSaid(plan, answer))
      heard.push(said.slice(0, entry.max_responses_per_round || undefined))
      request = nextRequest(plan, call, heard.at(-1) ?? [])
    }
    const model = plan.last >= 0 ? plan.last : (distributeCalls(1, weights, distribution, seed)[0] ?? 0)
    return await lastAnswer(plan, call, { model, request: withLimits(request, limits), heard })
  } catch (error) {
    const best = longest.best()
    if (call.signal.aborted || onError === "fail" || best === undefined) throw error
    return { ...best, ...answerOf(plan, heard), reason: "a round failed; the longest reply before it" }
  }
}

async function lastAnswer(
  plan: Plan,
  call: LooperCall,
  {
    model,
    request,
    heard,
  }: { readonly model: number; readonly request: ChatRequest; readonly heard: readonly (readonly Said[])[] },
): Promise<LooperAnswer> {
  const { timeoutMs } = roundLimits(plan.entry)
  const reply = await withTimeLimit(timeoutMs, (signal) => call.stream(model, request, { ...(signal && { signal }) }))
  if (!("next" in reply) && textOfReply(reply).trim() === "" && !callsTools(reply))
    throw new RtrError("upstream_error", `Model "${plan.models[model]}" answered without content`)
  const calls = heard.reduce((sum, round) => sum + round.length, 0)
  const reason = `${heard.length} rounds with ${calls} replies`
  return { reply, candidate: model, reason, ...answerOf(plan, heard) }
}

/** What the answer tells of the way to it. */
const answerOf = ({ entry }: Plan, heard: readonly (readonly Said[])[]): Partial<LooperAnswer> => ({
  ...(entry.include_intermediate_responses === true && {
    extensions: replyFields({ reasoning_mom_responses: traceOf(heard) }),
  }),
  responses: heard.flat().map(({ model, text, reasoning }) => ({ model, text, reasoning })),
})

function toSaid({ entry, models }: Plan, { question, reply }: Answered<Asked>): Said {
  const { compaction_strategy: strategy = "full", compaction_tokens: tokens } = entry
  const text = readableText(reply)
  const reasoning = reasoningOfReply(reply)
  const ratio = bytesPerToken([textOfReply(reply), reasoning], reply.usage)
  return {
    model: models[question.model] ?? "",
    text,
    reasoning,
    compacted: strategy === "full" ? text : lastTokens(text, tokens || 1000, ratio),
  }
}

const nextRequest = ({ entry, template }: Plan, call: LooperCall, said: readonly Said[]): ChatRequest =>
  withLastPrompt(
    call.request,
    template({
      OriginalContent: call.text,
      ReferenceResponses: said.map(({ model, compacted, reasoning }) => ({
        Content: compacted,
        Reasoning: entry.include_reasoning === true ? reasoning : "",
        Model: model,
      })),
    }),
  )

const traceOf = (heard: readonly (readonly Said[])[]): JsonValue =>
  heard.map((said, index) => ({
    round: index + 1,
    breadth: said.length,
    responses: said.map(({ model, text, reasoning, compacted }) => ({
      model,
      content: text,
      ...(reasoning !== "" && { reasoning }),
      ...(compacted !== text && { compacted_content: compacted }),
    })),
  }))

const prompt = `Below are a task and several answers to it that others gave. Compare them, check them against the task, and give your own complete answer. Do not mention that there were others.

Task:
{{.OriginalContent}}

Answers:
{{range $i, $answer := .ReferenceResponses}}
Answer {{add $i 1}}{{if $answer.Model}} ({{$answer.Model}}){{end}}:
{{$answer.Content}}
{{end}}
Your answer:`

const promptWithReasoning = `Below are a task and several answers to it that others gave, with how they came to them. Check each step against the task, and give your own complete answer. Do not mention that there were others.

Task:
{{.OriginalContent}}

Answers:
{{range $i, $answer := .ReferenceResponses}}
Answer {{add $i 1}}{{if $answer.Model}} ({{$answer.Model}}){{end}}:
{{if $answer.Reasoning}}Reasoning:
{{$answer.Reasoning}}

Answer:
{{end}}{{$answer.Content}}
{{end}}
Your answer:`
