// Several models work on one task in steps, planned by the document or by a model; one of them answers from their outputs.

import {
  type AskedModel,
  type ChatReply,
  type ChatStream,
  defineLooper,
  literals,
  type LooperAnswer,
  type LooperCall,
  RtrError,
  section,
  type Static,
  Type,
} from "../../kernel/index.ts"
import { askAll, firstFailure, type Question } from "../_shared/loopers/ask-all.ts"
import { looperIntegration } from "../_shared/loopers/integration.ts"
import { replyFields } from "../_shared/loopers/reply-fields.ts"
import { callsTools, readableText, reasoningOfReply, textOfReply } from "../_shared/loopers/replies.ts"
import { asHelper, withLastPrompt, withLimits, withText } from "../_shared/loopers/requests.ts"
import { roundLimits, roundOptions } from "../_shared/loopers/rounds.ts"
import { keepWorkflows, type KeptWorkflows, type SuspendedWorkflow } from "../_shared/loopers/suspended.ts"
import { withTimeLimit } from "../_shared/loopers/time-limit.ts"
import {
  outputId,
  type PlanLimits,
  plannerPrompt,
  readPlan,
  unknownAccess,
  usualPlan,
  type WorkflowPlan,
  type WorkflowStep,
} from "../_shared/loopers/workflow-plan.ts"

const words = Type.String({ minLength: 1, pattern: "\\S" })

const options = section({
  ...roundOptions,
  mode: Type.Optional(
    literals(["static", "dynamic"], {
      description: "The steps are the roles, or a planner writes them; static when left out",
    }),
  ),
  template: Type.Optional(Type.String({ description: "A name for the workflow, which the reply tells" })),
  roles: Type.Optional(
    Type.Array(
      section({
        name: words,
        models: Type.Array(words, { minItems: 1, uniqueItems: true }),
        prompt: Type.Optional(Type.String()),
        access_list: Type.Optional(
          Type.Array(Type.String(), { description: "Earlier roles whose output it reads; all of them when left out" }),
        ),
      }),
      { description: "Steps of mode static, in order" },
    ),
  ),
  planner: Type.Optional(
    section({
      model: Type.Optional(words),
      max_completion_tokens: Type.Optional(Type.Integer({ minimum: 0, description: "2048 when left out or 0" })),
    }),
  ),
  final: Type.Optional(section({ model: Type.Optional(words), prompt: Type.Optional(Type.String()) })),
  max_steps: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 16, description: "Of a planner; 3 when left out or 0" }),
  ),
  max_parallel: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 16,
      description: "Calls at a time, and models of a planned step; 2 when left out or 0",
    }),
  ),
  on_error: Type.Optional(
    literals(["skip", "fail"], {
      description: "A model or a planner that fails: go on without it, or refuse the request; fail when left out",
    }),
  ),
})

type Options = Static<typeof options>

export default defineLooper({
  about: "Has several models work on a task in steps, by roles or by a planner's plan, and one of them answer",
  needs: ["store.workflows"],
  options,
  settings: looperIntegration,
  modelNames: { key: "flow", names: ["rtr/flow", "vllm-sr/flow"] },
  check(entry, report, { candidates, models } = { candidates: [], models: new Set() }) {
    const { mode = "static", roles = [], planner, final } = entry
    const isOne = (name: string): boolean => candidates.length === 0 || candidates.includes(name)
    const among = `must be one of the decision's modelRefs, which are ${candidates.join(", ")}`
    if (mode === "dynamic") {
      if (entry.roles !== undefined)
        report(["roles"], "belongs to mode static; the planner of mode dynamic writes the steps")
      if (candidates.length > 0 && planner?.model === undefined)
        report(["planner", "model"], "is missing; mode dynamic asks it for a plan")
      if (planner?.model !== undefined && models.size > 0 && !models.has(planner.model))
        report(["planner", "model"], `"${planner.model}" is not in providers.models`)
    } else if (Object.keys(entry).some((key) => key !== "on_error") && roles.length === 0)
      report(["roles"], "is missing; mode static has a step for each role")
    if (final?.model !== undefined && !isOne(final.model)) report(["final", "model"], among)
    const steps: WorkflowStep[] = []
    for (const [index, role] of roles.entries()) {
      const at = ["roles", index]
      const step = stepOf(role)
      for (const [position, name] of role.models.entries()) if (!isOne(name)) report([...at, "models", position], among)
      if (steps.some(({ id }) => id === step.id)) report([...at, "name"], `"${step.id}" is used already`)
      const unknown = unknownAccess(step, steps)
      if (unknown !== undefined)
        report(
          [...at, "access_list"],
          `"${unknown}" is no earlier role, and no output such as "${step.id}:1:${step.models[0]}" of one`,
        )
      steps.push(step)
    }
  },
  setup(entry, { candidates, workflows, settings, decision }) {
    const names = candidates.map((candidate) => candidate.model)
    const { flow } = settings as { readonly flow?: { readonly state?: { readonly ttl_seconds?: number } } }
    const limits: PlanLimits = {
      models: names,
      maxSteps: entry.max_steps || 3,
      maxParallel: entry.max_parallel || 2,
    }
    const ttlMs = (flow?.state?.ttl_seconds || 1800) * 1000
    const kept = keepWorkflows(workflows, { decision, ttlMs })
    return { run: (call) => runWorkflow({ entry, names, limits, kept, skips: entry.on_error === "skip" }, call) }
  },
})

const stepOf = (role: NonNullable<Options["roles"]>[number]): WorkflowStep => ({
  id: role.name,
  role: role.name,
  models: role.models,
  prompt: role.prompt ?? "",
  access: role.access_list,
})

interface Workflow {
  readonly entry: Options
  /** Of the decision's models. */
  readonly names: readonly string[]
  readonly limits: PlanLimits
  readonly kept: KeptWorkflows
  readonly skips: boolean
}

/** What one model made of a step. */
interface Output {
  readonly step: WorkflowStep
  readonly index: number
  readonly model: string
  readonly reply: ChatReply
}

interface StepQuestion extends Question {
  readonly index: number
  readonly name: string
}

interface Failed {
  readonly model: string
  readonly error: unknown
}

async function runWorkflow(workflow: Workflow, call: LooperCall): Promise<LooperAnswer> {
  const { names, skips } = workflow
  if (names.length === 0) throw new RtrError("no_model_selected", `Decision "${call.decision}" has no model to ask`)
  const suspended = await workflow.kept.resume(call)
  if (suspended !== undefined) return resumed(workflow, call, suspended)
  const plan = await planFor(workflow, call)
  const outputs: Output[] = []
  const failed: Failed[] = []
  for (const step of plan.steps) {
    const made = await runStep(workflow, call, step, outputs)
    failed.push(...made.failed)
    outputs.push(...made.outputs)
  }
  const answer = await finalAnswer(workflow, call, plan, outputs).catch((error: unknown): LooperAnswer => {
    const latest = outputs.findLast(({ reply }) => textOfReply(reply).trim() !== "")
    if (call.signal.aborted || !skips || latest === undefined) throw error
    const reason = `the last call failed; the output of step "${latest.step.id}"`
    return { reply: latest.reply, candidate: asked(workflow, latest.model), reason }
  })
  return {
    ...answer,
    ...traceOf(workflow, plan, outputs, failed),
    responses: outputs.map(({ model, reply }) => ({
      model,
      text: readableText(reply),
      reasoning: reasoningOfReply(reply),
    })),
  }
}

const asked = ({ names }: Workflow, name: string): AskedModel => {
  const candidate = names.indexOf(name)
  return candidate < 0 ? name : candidate
}

const limitsOf = ({ entry }: Workflow): Parameters<typeof withLimits>[1] => ({
  temperature: entry.temperature,
  maxOutputTokens: entry.max_completion_tokens || undefined,
})

// ── the plan ──

async function planFor(workflow: Workflow, call: LooperCall): Promise<WorkflowPlan> {
  const { entry, names, limits, skips } = workflow
  if (entry.mode !== "dynamic")
    return entry.roles === undefined ? usualPlan(limits) : { steps: entry.roles.map(stepOf) }
  const planner = entry.planner?.model ?? entry.final?.model ?? (names[0] as string)
  const request = withLimits(asHelper(withLastPrompt(call.request, plannerPrompt(call.text, limits))), {
    temperature: entry.temperature,
    maxOutputTokens: entry.planner?.max_completion_tokens || 2048,
  })
  try {
    const reply = await withTimeLimit(roundLimits(entry).timeoutMs, (signal) =>
      call.ask(asked(workflow, planner), { ...request, output: { type: "json" } }, { ...(signal && { signal }) }),
    )
    return plannedBy(planner, textOfReply(reply), limits)
  } catch (error) {
    if (call.signal.aborted || !skips) throw error
    return usualPlan(limits)
  }
}

function plannedBy(planner: string, text: string, limits: PlanLimits): WorkflowPlan {
  try {
    return readPlan(text, limits)
  } catch (error) {
    throw new RtrError("upstream_error", `The plan of model "${planner}" is none: ${(error as Error).message}`)
  }
}

// ── steps ──

async function runStep(
  workflow: Workflow,
  call: LooperCall,
  step: WorkflowStep,
  earlier: readonly Output[],
): Promise<{ readonly outputs: readonly Output[]; readonly failed: readonly Failed[] }> {
  const { entry, limits, skips } = workflow
  const request = withLimits(
    asHelper(withLastPrompt(call.request, stepPrompt(call, step, earlier))),
    limitsOf(workflow),
  )
  const questions = step.models.map((name, index): StepQuestion => ({
    name,
    index,
    model: asked(workflow, name),
    request,
  }))
  const { timeoutMs, enough } = roundLimits(entry)
  const all = await askAll(call, questions, {
    maxConcurrent: limits.maxParallel,
    enough,
    timeoutMs,
    failsAtOnce: !skips,
    onAnswer: ({ question, reply }) => {
      if (textOfReply(reply).trim() !== "")
        call.keep({ reply, candidate: question.model, reason: `an output of step "${step.id}"` })
    },
  })
  if (all.answers.length === 0 && earlier.length === 0) throw firstFailure(all)
  return {
    outputs: all.answers.map(({ question: { name, index }, reply }) => ({ step, index, model: name, reply })),
    failed: all.failed.map(({ question: { name }, error }) => ({ model: name, error })),
  }
}

const sees = ({ access }: WorkflowStep, { step, index, model }: Output): boolean =>
  access === undefined ||
  [step.id, outputId(step.id, index, model), outputId(step.id, index + 1, model)].some((id) => access.includes(id))

const stepPrompt = ({ text }: LooperCall, step: WorkflowStep, earlier: readonly Output[]): string =>
  promptOf(`You are the ${step.role} of a group that works on the task below.`, {
    task: text,
    outputs: earlier.filter((output) => sees(step, output)),
    instruction: step.prompt.trim() === "" ? "Work on the task." : step.prompt,
  })

function promptOf(
  head: string,
  {
    task,
    outputs,
    instruction,
  }: { readonly task: string; readonly outputs: readonly Output[]; readonly instruction: string },
): string {
  const written = outputs.map(
    ({ step, index, model, reply }) => `${outputId(step.id, index + 1, model)}:\n${readableText(reply)}`,
  )
  const block = written.length === 0 ? "" : `\n\nOutputs of the others:\n${written.join("\n\n")}`
  return `${head}\n\nTask:\n${task}${block}\n\nWhat you do now:\n${instruction}`
}

// ── the answer ──

async function finalAnswer(
  workflow: Workflow,
  call: LooperCall,
  plan: WorkflowPlan,
  outputs: readonly Output[],
): Promise<LooperAnswer> {
  const { entry, names } = workflow
  const model =
    plan.finalModel ?? entry.final?.model ?? entry.planner?.model ?? outputs[0]?.model ?? (names[0] as string)
  const prompt = promptOf("You give the final answer to the task below, from what the others have worked out.", {
    task: call.text,
    outputs,
    instruction:
      [entry.final?.prompt, plan.finalPrompt].find((text) => text !== undefined && text.trim() !== "") ??
      "Check the outputs against the task, settle where they contradict each other, and write the answer. Keep every demand that the task makes of its form, and do not speak of the others.",
  })
  const reason = `${plan.steps.length} steps with ${outputs.length} outputs`
  return lastCall(workflow, call, { model, prompt }, { turns: withLastPrompt(call.request, prompt).turns, reason })
}

/** The same prompt in front of what the tools have said since. */
function resumed(workflow: Workflow, call: LooperCall, suspended: SuspendedWorkflow): Promise<LooperAnswer> {
  const { turns } = call.request
  const last = turns.findLastIndex(({ role, blocks }) => role === "user" && blocks.some(({ type }) => type === "text"))
  const told = turns.map((turn, index) => (index === last ? withText(turn, suspended.prompt) : turn))
  return lastCall(workflow, call, suspended, { turns: told, reason: "the workflow went on with the results of tools" })
}

/** The only call that may use the client's tools. */
async function lastCall(
  workflow: Workflow,
  call: LooperCall,
  suspended: SuspendedWorkflow,
  { turns, reason }: { readonly turns: LooperCall["request"]["turns"]; readonly reason: string },
): Promise<LooperAnswer> {
  const { entry, kept } = workflow
  const candidate = asked(workflow, suspended.model)
  const request = withLimits({ ...call.request, turns }, limitsOf(workflow))
  const reply: ChatReply | ChatStream = await withTimeLimit(roundLimits(entry).timeoutMs, (signal) =>
    call.stream(candidate, request, { ...(signal && { signal }) }),
  )
  if (!("next" in reply) && textOfReply(reply).trim() === "" && !callsTools(reply))
    throw new RtrError("upstream_error", `Model "${suspended.model}" answered without content`)
  const watched = call.request.tools.length === 0 ? reply : await kept.suspendOnTools(call, suspended, reply)
  return { reply: watched, candidate, reason }
}

// ── what the reply tells ──

function traceOf(
  { entry, names }: Workflow,
  { steps }: WorkflowPlan,
  outputs: readonly Output[],
  failed: readonly Failed[],
): Pick<LooperAnswer, "extensions"> {
  if (entry.include_intermediate_responses === false) return {}
  return {
    extensions: replyFields({
      flow: {
        mode: entry.mode ?? "static",
        template: entry.template ?? "micro_agent",
        ...(entry.planner?.model !== undefined && { planner_model: entry.planner.model }),
        worker_models: [...names],
        steps: steps.map((step) => ({
          id: step.id,
          role: step.role,
          models: [...step.models],
          responses: outputs
            .filter((output) => output.step === step)
            .map(({ index, model, reply }) => ({
              agent_id: outputId(step.id, index + 1, model),
              model,
              content: readableText(reply),
            })),
        })),
        ...(failed.length > 0 && {
          failed_models: failed.map(({ model, error }) => ({
            model,
            error: error instanceof RtrError ? error.code : "internal_error",
          })),
        }),
      },
    }),
  }
}
