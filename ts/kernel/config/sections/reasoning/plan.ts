// What the keys of reasoning mean: their checks, the family of each model, and the choice of each candidate.

import type { DocumentPath } from "../../../error.ts"
import type { Registry } from "../../../modules/registry.ts"
import type { Problem } from "../../../schema/problem.ts"
import type { HostReasoning, ProviderFormat, ReasoningChoice, ReasoningFamily } from "../../../types/provider.ts"
import type { ConfigDocument } from "../../document-schema.ts"
import type { ModelRef } from "../decisions.ts"
import type { ProviderModel } from "../providers.ts"
import { checkInline } from "./checks.ts"
import { reasoningFamilies } from "./families.ts"
import type { ReasoningEntry, ReasoningTools } from "./keys.ts"

export interface ReasoningPlan {
  check(): readonly Problem[]
  /** How a candidate shall reason; undefined where nothing is said to its backends. */
  choiceOf(ref: ModelRef): ReasoningChoice | undefined
  /** How backends of a protocol at a base URL are told. */
  hostOf(format: ProviderFormat, baseUrl: string): HostReasoning | undefined
}

type Family = Omit<ReasoningEntry, "family">

/** Loads how each provider of the document tells its models. */
export async function createReasoningPlan(
  document: ConfigDocument,
  registry: Registry,
  tools: ReasoningTools,
): Promise<ReasoningPlan> {
  const models = document.providers?.models ?? []
  const backends = models.flatMap((model) =>
    tools.refsOf(model).flatMap((ref) => tools.protocolOf(model, ref, registry) ?? []),
  )
  const told = new Map(
    await Promise.all([...new Set(backends)].map(async (format) => [format, await format.reasoning?.()] as const)),
  )
  const hostOf: ReasoningPlan["hostOf"] = (format, baseUrl) =>
    URL.canParse(baseUrl) ? told.get(format)?.(baseUrl) : undefined
  /** Whether some backend of a model can be told without its family. */
  const tellsAll = (model: ProviderModel): boolean =>
    tools.refsOf(model).some((ref) => {
      const format = tools.protocolOf(model, ref, registry)
      const host = format && hostOf(format, tools.addressOf(ref, registry) ?? "")
      return host?.needsFamily === false
    })
  const familyOf = (model: ProviderModel): Family | undefined => {
    const { reasoning, reasoning_family: older } = model
    const named = reasoning?.family ?? older
    return named === undefined ? reasoning : (declaredFamilies(document)[named] ?? reasoningFamilies[named])
  }
  return {
    check: () => [
      ...checkDeclared(document, tools),
      ...models.flatMap((model, index) => checkModel(model, ["providers", "models", index], document, tools)),
      ...(document.routing?.decisions ?? []).flatMap(({ modelRefs = [] }, decision) =>
        modelRefs.flatMap((ref, index) => {
          const model = models.find((each) => each.name === ref.model)
          const at = ["routing", "decisions", decision, "modelRefs", index]
          return model === undefined ? [] : checkRef(ref, at, { model, family: familyOf(model), tellsAll }, tools)
        }),
      ),
    ],
    hostOf,
    choiceOf(ref) {
      const model = models.find((each) => each.name === ref.model)
      const family = model && familyOf(model)
      const enabled = isOn(ref)
      if (family === undefined && !(enabled && model !== undefined && tellsAll(model))) return undefined
      const { reasoning_effort: preferred } = document.providers?.defaults ?? {}
      const mode = modeOf(ref, family, enabled)
      return {
        enabled,
        effort: effortOf(ref, family, model?.reasoning?.default, preferred),
        ...(mode !== undefined && { mode }),
        family: family && compileFamily(family),
      }
    },
  }
}

const declaredFamilies = (document: ConfigDocument): Readonly<Record<string, Family>> =>
  document.providers?.defaults?.reasoning_families ?? {}

/** A mode says it where nothing else does. */
const isOn = ({ use_reasoning: on, reasoning_mode: mode = "disabled" }: ModelRef): boolean => on ?? mode !== "disabled"

/** Undefined for a family without modes, where the switch says all. */
function modeOf(ref: ModelRef, family: Family | undefined, enabled: boolean): string | undefined {
  const { modes, default_mode: preferred } = family ?? {}
  if (ref.reasoning_mode !== undefined || modes === undefined) return ref.reasoning_mode
  if (!enabled) return "disabled"
  return preferred === undefined || preferred === "disabled" ? modes.find((each) => each !== "disabled") : preferred
}

/** The candidate's own, the model's own, the document's where the family has it, the family's. */
function effortOf(
  { reasoning_effort: own }: ModelRef,
  family: Family | undefined,
  ofModel: string | undefined,
  ofDocument: string | undefined,
): string {
  const { levels = [] } = family ?? {}
  const fits = (effort: string | undefined): boolean =>
    effort !== undefined && (levels.length === 0 || levels.includes(effort))
  return own ?? ofModel ?? [ofDocument, family?.default, "medium"].find(fits) ?? levels.at(-1) ?? "medium"
}

function compileFamily(family: Family): ReasoningFamily {
  const { type = "reasoning_effort", parameter = "reasoning_effort", disabled, modes } = family
  const { activation_parameter: activationParameter, effort_flags: effortFlags } = family
  return {
    type,
    parameter,
    ...(activationParameter !== undefined && { activationParameter }),
    ...(effortFlags !== undefined && { effortFlags }),
    ...(disabled !== undefined && { disabled }),
    ...(modes !== undefined && { modes }),
  }
}

// ── checks ──

function checkDeclared(document: ConfigDocument, { invalid }: ReasoningTools): readonly Problem[] {
  return Object.entries(declaredFamilies(document)).flatMap(([family, { type, parameter }]) =>
    type === "top_level_reasoning_effort" && parameter !== "reasoning_effort"
      ? [
          invalid(
            ["providers", "defaults", "reasoning_families", family, "parameter"],
            'must be "reasoning_effort" for type top_level_reasoning_effort',
          ),
        ]
      : [],
  )
}

function checkModel(
  { reasoning, reasoning_family: older }: ProviderModel,
  at: DocumentPath,
  document: ConfigDocument,
  tools: ReasoningTools,
): readonly Problem[] {
  const { invalid, suggestion } = tools
  const known = [...Object.keys(declaredFamilies(document)), ...Object.keys(reasoningFamilies)]
  const unknown = (family: string | undefined, path: DocumentPath): readonly Problem[] =>
    family === undefined || known.includes(family)
      ? []
      : [
          invalid(
            path,
            `"${family}" is neither in providers.defaults.reasoning_families nor a family that is known${suggestion(family, known)}`,
          ),
        ]
  const both = reasoning !== undefined && older !== undefined
  return [
    ...(both ? [invalid([...at, "reasoning_family"], "stands beside reasoning; keep one")] : []),
    ...unknown(older, [...at, "reasoning_family"]),
    ...unknown(reasoning?.family, [...at, "reasoning", "family"]),
    ...(reasoning === undefined ? [] : checkInline(reasoning, [...at, "reasoning"], tools)),
  ]
}

/** Written in the document, without anything that says how it is switched off. */
const isToldEffortsOnly = ({ type, modes, disabled, activation_parameter: activation }: Family): boolean =>
  type?.endsWith("reasoning_effort") === true &&
  modes === undefined &&
  disabled === undefined &&
  activation === undefined

interface Judged {
  readonly model: ProviderModel
  readonly family: Family | undefined
  readonly tellsAll: (model: ProviderModel) => boolean
}

/** What a candidate asks for that its model cannot do, or that has no effect. */
function checkRef(
  ref: ModelRef,
  at: DocumentPath,
  { model, family, tellsAll }: Judged,
  { invalid, refsOf }: ReasoningTools,
): readonly Problem[] {
  const { use_reasoning: on, reasoning_effort: effort, reasoning_mode: mode } = ref
  const problems: Problem[] = []
  const refuse = (key: keyof ModelRef, message: string): void => {
    problems.push(invalid([...at, key], message))
  }
  const warn = (key: keyof ModelRef, message: string): void => {
    problems.push({ ...invalid([...at, key], message), severity: "warning" })
  }
  const enabled = isOn(ref)
  const { modes, levels = [], type } = family ?? {}
  if (effort !== undefined && effort.trim() !== effort) refuse("reasoning_effort", "has spaces around it")
  if (mode !== undefined && on !== undefined && on !== (mode !== "disabled"))
    refuse("reasoning_mode", `says something else than use_reasoning: ${on}; keep one`)
  if (family === undefined) {
    if (mode !== undefined) refuse("reasoning_mode", `needs reasoning at model "${model.name}" with the modes it has`)
    else if (enabled && refsOf(model).length > 0 && !tellsAll(model))
      warn(
        "use_reasoning",
        `has no effect: how a model at this provider is told depends on its family; write reasoning: { family: … } at model "${model.name}"`,
      )
  } else if (mode !== undefined && modes?.includes(mode) !== true)
    refuse("reasoning_mode", `is not one of the modes of model "${model.name}": ${modes?.join(", ") ?? "it has none"}`)
  else if (on === false && modes !== undefined && !modes.includes("disabled") && family.disabled === undefined)
    warn("use_reasoning", `has no effect: model "${model.name}" always reasons`)
  else if (on === false && isToldEffortsOnly(family) && refsOf(model).length > 0 && !tellsAll(model))
    warn(
      "use_reasoning",
      `does not switch reasoning of model "${model.name}" off: it is only told efforts; a disabled effort or an activation_parameter in its reasoning would`,
    )
  if (effort === undefined) return problems
  if (!enabled) warn("reasoning_effort", "has no effect without use_reasoning: true")
  else if (type === "chat_template_kwargs" || type === "reasoning_mode")
    warn(
      "reasoning_effort",
      `has no effect: reasoning of model "${model.name}" is only switched, and has no efforts; remove it`,
    )
  else if (levels.length > 0 && !levels.includes(effort))
    refuse("reasoning_effort", `is not one of the efforts of model "${model.name}": ${levels.join(", ")}`)
  return problems
}
