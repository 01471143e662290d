// The plan of a workflow: which models do what, one step after the other, and who reads whose output.

import { objectIn } from "./object-in.ts"

export interface WorkflowStep {
  readonly id: string
  readonly role: string
  readonly models: readonly string[]
  readonly prompt: string
  /** Steps, or single outputs of them, that this one reads; all earlier ones when left out. */
  readonly access?: readonly string[] | undefined
}

export interface WorkflowPlan {
  readonly steps: readonly WorkflowStep[]
  readonly finalModel?: string | undefined
  readonly finalPrompt?: string | undefined
}

export interface PlanLimits {
  /** Names of models that may work. */
  readonly models: readonly string[]
  readonly maxSteps: number
  readonly maxParallel: number
}

/** How the output of one model in a step is named. */
export const outputId = (step: string, index: number, model: string): string => `${step}:${index}:${model}`

/** A name in an access list that means no earlier step or output of one. */
export function unknownAccess(step: WorkflowStep, earlier: readonly WorkflowStep[]): string | undefined {
  const known = new Set(
    earlier.flatMap(({ id, models }) => [
      id,
      // Counted from 0 or from 1.
      ...models.flatMap((model, index) => [outputId(id, index, model), outputId(id, index + 1, model)]),
    ]),
  )
  return step.access?.find((name) => !known.has(name))
}

/** The plan that a planner wrote. Throws an `Error` whose message says what is wrong with it, without its words. */
export function readPlan(text: string, limits: PlanLimits): WorkflowPlan {
  const object = objectIn(text)
  const written = object?.["steps"]
  if (!Array.isArray(written) || written.length === 0) throw new Error("it has no steps")
  if (written.length > limits.maxSteps)
    throw new Error(`it has ${written.length} steps, and ${limits.maxSteps} are allowed`)
  const steps: WorkflowStep[] = []
  for (const [index, value] of written.entries()) steps.push(readStep(value, index, steps, limits))
  const final = (object?.["final"] ?? {}) as { readonly model?: unknown; readonly prompt?: unknown }
  return {
    steps,
    finalModel: limits.models.find((model) => model === final.model),
    finalPrompt: textOf(final.prompt),
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

function readStep(
  value: unknown,
  index: number,
  earlier: readonly WorkflowStep[],
  { models: allowed, maxParallel }: PlanLimits,
): WorkflowStep {
  const { id, role, models, prompt, access_list: access } = (value ?? {}) as Readonly<Record<string, unknown>>
  const at = `step ${index + 1}`
  const step: WorkflowStep = {
    id: textOf(id) ?? `step-${index + 1}`,
    role: textOf(role) ?? "worker",
    models: Array.isArray(models) ? (models as readonly string[]) : [],
    prompt: textOf(prompt) ?? "",
    access: Array.isArray(access) ? (access as readonly string[]) : undefined,
  }
  if (step.models.length === 0) throw new Error(`${at} has no models`)
  if (step.models.length > maxParallel) throw new Error(`${at} has more than ${maxParallel} models`)
  if (step.models.some((model) => !allowed.includes(model))) throw new Error(`${at} names a model that may not work`)
  if (earlier.some((other) => other.id === step.id)) throw new Error(`${at} has the id of an earlier one`)
  if (unknownAccess(step, earlier) !== undefined) throw new Error(`${at} reads what does not come before it`)
  return step
}

/** What stands in for a plan that is none: each model answers by itself. */
export const usualPlan = ({ models, maxParallel }: PlanLimits): WorkflowPlan => ({
  steps: [{ id: "solve", role: "worker", models: models.slice(0, maxParallel), prompt: "Solve the task." }],
})

export function plannerPrompt(original: string, { models, maxSteps, maxParallel }: PlanLimits): string {
  return `Plan how several models work together on the task below. Reply with one JSON object and nothing else:
{
  "steps": [{"id": "<short name>", "role": "<thinker, worker or verifier>", "models": ["<name>"], "prompt": "<what this step does>", "access_list": ["<id of an earlier step>"]}],
  "final": {"prompt": "<what the last model does with the outputs>"}
}
There are 1 to ${maxSteps} steps, with 1 to ${maxParallel} models each. A step reads the outputs of the steps in its access_list: all earlier ones without the key, none with []. One output of a step is "<id>:<position>:<model>", counted from 1. What the task asks for is what the steps have to work out; they cannot act.

Models:
${models.join("\n")}

Task:
${original}`
}
