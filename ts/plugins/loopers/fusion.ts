// A panel of models answers, a judge compares the answers, and the judge gives the client's answer.

import {
  type AskedModel,
  type ChatReply,
  type ChatRequest,
  defineLooper,
  literals,
  type LooperAnswer,
  type LooperCall,
  type LooperResponse,
  RtrError,
  section,
  type Static,
  Type,
  type WireObject,
} from "../../kernel/index.ts"
import { type AllAnswers, askAll, firstFailure, type Question } from "../_shared/loopers/ask-all.ts"
import {
  analysisPrompt,
  type Analysis,
  finalPrompt,
  type PanelReply,
  readAnalysis,
} from "../_shared/loopers/fusion-prompts.ts"
import { type FusionOverride, readFusionOverride, withoutFusionOverride } from "../_shared/loopers/fusion-override.ts"
import { looperIntegration } from "../_shared/loopers/integration.ts"
import { replyFields } from "../_shared/loopers/reply-fields.ts"
import { createLongestAnswer, type LongestAnswer } from "../_shared/loopers/longest-answer.ts"
import { callsTools, reasoningOfReply, textOfReply } from "../_shared/loopers/replies.ts"
import { asHelper, withLimits, withPrompt } from "../_shared/loopers/requests.ts"
import { roundLimits, roundOptions } from "../_shared/loopers/rounds.ts"
import { withTimeLimit } from "../_shared/loopers/time-limit.ts"

const model = Type.String({ minLength: 1, pattern: "\\S" })
const onError = literals(["skip", "fail"], {
  description: "A model of the panel that fails: go on without it, or refuse the request; skip when left out",
})

const options = section({
  ...roundOptions,
  model: Type.Optional(model),
  analysis_models: Type.Optional(
    Type.Array(model, { description: "The panel; the decision's modelRefs when left out" }),
  ),
  analysis_overrides: Type.Optional(
    Type.Array(
      section({
        model,
        temperature: Type.Optional(Type.Number({ minimum: 0 })),
        max_completion_tokens: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
      { description: "Limits of single models of the panel" },
    ),
  ),
  analysis_mode: Type.Optional(
    literals(["separate", "one_call", "none"], {
      description:
        "The judge compares in a call of its own, in the call that answers, or not at all; separate when left out",
    }),
  ),
  include_analysis: Type.Optional(
    Type.Boolean({ description: "The reply tells what the judge found; true when left out" }),
  ),
  analysis_template: Type.Optional(
    Type.String({ description: "Prompt of the judge, with {{original}} and {{responses}}" }),
  ),
  synthesis_template: Type.Optional(
    Type.String({ description: "Prompt of the last call, with {{original}}, {{responses}} and {{analysis}}" }),
  ),
  judge_prompt_version: Type.Optional(
    Type.String({ description: "A name for the prompts, which the reply tells; fusion-v1 when left out" }),
  ),
  quorum_failure_policy: Type.Optional(
    literals(["fail", "fallback"], {
      description:
        "Fewer replies than min_successful_responses: refuse the request, or ask another model; go on when left out",
    }),
  ),
  quorum_fallback_target: Type.Optional(model),
  on_error: Type.Optional(onError),
  grounding: Type.Optional(
    section(
      {
        enabled: Type.Optional(Type.Boolean()),
        reference: Type.Optional(literals(["hybrid", "context", "panel"])),
        policy: Type.Optional(literals(["weight", "annotate", "filter"])),
        min_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
        min_keep: Type.Optional(Type.Integer({ minimum: 0 })),
        nli_contradiction_penalty: Type.Optional(Type.Number({ minimum: 0 })),
        on_error: Type.Optional(literals(["skip", "fail"])),
      },
      { description: "Not served: it may stand there with enabled: false" },
    ),
  ),
})

type Options = Static<typeof options>

export default defineLooper({
  about: "Asks a panel of models, has a judge compare their replies, and answers with what the judge makes of them",
  options,
  settings: looperIntegration,
  modelNames: { key: "fusion", names: ["rtr/fusion", "vllm-sr/fusion"] },
  check(entry, report, { candidates, models } = { candidates: [], models: new Set() }) {
    const { analysis_models: panel = candidates, analysis_overrides: overrides = [] } = entry
    const known = (name: string): boolean => models.size === 0 || models.has(name)
    const named: readonly (readonly [at: (string | number)[], name: string | undefined])[] = [
      [["model"], entry.model],
      ...panel.map((name, index): [(string | number)[], string] => [["analysis_models", index], name]),
      [["quorum_fallback_target"], entry.quorum_fallback_target],
    ]
    for (const [at, name] of named)
      if (name !== undefined && !candidates.includes(name) && !known(name))
        report(at, `"${name}" is not in providers.models`)
    const names = overrides.map((override) => override.model)
    for (const [index, name] of names.entries())
      if (names.indexOf(name) < index) report(["analysis_overrides", index, "model"], `"${name}" has an entry already`)
    const size = new Set(panel).size
    const { min_successful_responses: least = 0, analysis_mode: mode = "separate" } = entry
    if (size > 0 && least > size)
      report(["min_successful_responses"], `must not be more than the panel's ${size} models, got ${least}`)
    if (mode !== "separate" && entry.analysis_template !== undefined)
      report(["analysis_template"], `belongs to analysis_mode separate, not to ${mode}`)
    const { quorum_failure_policy: policy, quorum_fallback_target: target } = entry
    if (policy === "fallback" && target === undefined)
      report(["quorum_fallback_target"], "is missing; quorum_failure_policy fallback asks that model")
    if (policy !== "fallback" && target !== undefined)
      report(["quorum_fallback_target"], "belongs to quorum_failure_policy fallback")
    if (target !== undefined && panel.includes(target))
      report(["quorum_fallback_target"], `"${target}" is in the panel; it must be another model`)
    if (entry.grounding?.enabled === true)
      report(
        ["grounding", "enabled"],
        "is not supported: rtr has no model that checks whether one text follows from another; set it to false",
      )
  },
  setup(entry, { candidates }) {
    const names = candidates.map((candidate) => candidate.model)
    return { run: (call) => runFusion({ entry, names }, call) }
  },
})

interface Setup {
  readonly entry: Options
  /** Of the decision's models. */
  readonly names: readonly string[]
}

/** What one request asks for: the decision's options with those of the client. */
interface Fusion extends Setup {
  readonly entry: Options & FusionOverride
  readonly panel: readonly string[]
  readonly judge: string
}

interface PanelQuestion extends Question {
  readonly name: string
}

async function runFusion({ entry, names }: Setup, given: LooperCall): Promise<LooperAnswer> {
  const override = readFusionOverride(
    given.request,
    [...names, ...(entry.analysis_models ?? []), entry.model ?? []].flat(),
  )
  const call: LooperCall = override === undefined ? given : { ...given, request: withoutFusionOverride(given.request) }
  const own = { ...entry, ...override }
  const panel = [...new Set(own.analysis_models?.length ? own.analysis_models : names)]
  const judge = own.model ?? panel[0]
  if (judge === undefined) throw new RtrError("no_model_selected", `Decision "${call.decision}" has no model to ask`)
  const fusion: Fusion = { entry: own, names, panel, judge }
  const longest = createLongestAnswer(call, "the longest reply of the panel")
  const all = await askPanel(fusion, call, longest)
  const enough = roundLimits(own).enough ?? panel.length
  if (all.answers.length < enough && own.quorum_failure_policy !== undefined)
    return belowQuorum(fusion, call, all, enough)
  if (all.answers.length === 0) throw firstFailure(all)
  const replies = all.answers.map(({ question: { name }, reply }): PanelReply => ({
    model: name,
    text: textOfReply(reply),
    reasoning: reasoningOfReply(reply),
  }))
  const analysis =
    own.analysis_mode === undefined || own.analysis_mode === "separate"
      ? await judged(fusion, call, replies)
      : undefined
  const answer = await synthesis(fusion, call, { replies, analysis, longest: longest.best() })
  return { ...answer, ...extensionsOf(fusion, all, analysis), responses: replies.map(toResponse) }
}

const limitsOf = ({ entry }: Fusion, name?: string): Parameters<typeof withLimits>[1] => {
  const override = entry.analysis_overrides?.find((each) => each.model === name)
  return {
    temperature: override?.temperature ?? entry.temperature,
    maxOutputTokens: override?.max_completion_tokens || entry.max_completion_tokens || undefined,
  }
}

/** A model of the decision is asked as the decision says; others by their name. */
const asked = ({ names }: Fusion, name: string): AskedModel => {
  const candidate = names.indexOf(name)
  return candidate < 0 ? name : candidate
}

const askPanel = (fusion: Fusion, call: LooperCall, longest: LongestAnswer): Promise<AllAnswers<PanelQuestion>> =>
  askAll(
    call,
    fusion.panel.map((name) => ({
      name,
      model: asked(fusion, name),
      request: withLimits(asHelper(call.request), limitsOf(fusion, name)),
    })),
    { ...roundLimits(fusion.entry), failsAtOnce: fusion.entry.on_error === "fail", onAnswer: longest.note },
  )

async function belowQuorum(
  fusion: Fusion,
  call: LooperCall,
  { answers }: AllAnswers,
  enough: number,
): Promise<LooperAnswer> {
  const { quorum_failure_policy: policy, quorum_fallback_target: target } = fusion.entry
  const reason = `${answers.length} of ${enough} replies of the panel`
  if (policy === "fail" || target === undefined)
    throw new RtrError("upstream_error", `Decision "${call.decision}" got only ${reason} that it needs`)
  const candidate = asked(fusion, target)
  return { reply: await call.stream(candidate, withLimits(call.request, limitsOf(fusion))), candidate, reason }
}

/** What the judge found. Without it the last call has the panel's replies alone. */
async function judged(fusion: Fusion, call: LooperCall, replies: readonly PanelReply[]): Promise<Analysis | undefined> {
  const { entry, judge } = fusion
  const prompt = analysisPrompt({ template: entry.analysis_template, original: call.text, replies })
  const request = { ...withLimits(asHelper(withPrompt(call.request, prompt)), limitsOf(fusion)), output: undefined }
  try {
    const { timeoutMs } = roundLimits(entry)
    const reply = await withTimeLimit(timeoutMs, (signal) =>
      call.ask(asked(fusion, judge), request, { ...(signal && { signal }) }),
    )
    return readAnalysis(textOfReply(reply))
  } catch (error) {
    if (call.signal.aborted) throw error
    return undefined
  }
}

async function synthesis(
  fusion: Fusion,
  call: LooperCall,
  {
    replies,
    analysis,
    longest,
  }: {
    readonly replies: readonly PanelReply[]
    readonly analysis: Analysis | undefined
    readonly longest: LooperAnswer | undefined
  },
): Promise<LooperAnswer> {
  const { entry, judge, panel } = fusion
  const prompt = finalPrompt({
    template: entry.synthesis_template,
    mode: entry.analysis_mode,
    original: call.text,
    replies,
    analysis,
  })
  const request: ChatRequest = withLimits(withPrompt(call.request, prompt), limitsOf(fusion))
  const candidate = asked(fusion, judge)
  try {
    const { timeoutMs } = roundLimits(entry)
    const reply = await withTimeLimit(timeoutMs, (signal) =>
      call.stream(candidate, request, { ...(signal && { signal }) }),
    )
    if (!("next" in reply) && !isAnswer(reply))
      throw new RtrError("upstream_error", `Model "${judge}" answered without content`)
    return { reply, candidate, reason: `${replies.length} of ${panel.length} models of the panel` }
  } catch (error) {
    if (call.signal.aborted || entry.on_error === "fail" || longest === undefined) throw error
    return { ...longest, reason: "the judge failed; the longest reply of the panel" }
  }
}

const isAnswer = (reply: ChatReply): boolean => textOfReply(reply).trim() !== "" || callsTools(reply)

const toResponse = ({ model: name, text, reasoning }: PanelReply): LooperResponse => ({ model: name, text, reasoning })

// ── what the reply tells ──

function extensionsOf(
  { entry, panel, judge }: Fusion,
  { answers, failed }: AllAnswers<PanelQuestion>,
  analysis: Analysis | undefined,
): Pick<LooperAnswer, "extensions"> {
  const { include_analysis: tellsAnalysis = true, include_intermediate_responses: tellsReplies = true } = entry
  if (!tellsAnalysis && !tellsReplies) return {}
  const fusion: WireObject = {
    ...(tellsAnalysis && analysis !== undefined && { analysis }),
    ...(tellsReplies && {
      responses: answers.map(({ question: { name }, reply }) => {
        const reasoning = reasoningOfReply(reply)
        return { model: name, content: textOfReply(reply), ...(reasoning !== "" && { reasoning }) }
      }),
    }),
    ...(failed.length > 0 && {
      failed_models: failed.map(({ question: { name }, error }) => ({
        model: name,
        error: error instanceof RtrError ? error.code : "internal_error",
      })),
    }),
    judge_model: judge,
    analysis_models: [...panel],
    prompt_version: entry.judge_prompt_version ?? "fusion-v1",
  }
  return { extensions: replyFields({ fusion }) }
}
