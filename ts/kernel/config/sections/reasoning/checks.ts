// Whether the keys of a `reasoning` block fit each other.

import type { DocumentPath } from "../../../error.ts"
import type { Problem } from "../../../schema/problem.ts"
import type { ReasoningEntry, ReasoningTools } from "./keys.ts"

export function checkInline(
  entry: ReasoningEntry,
  at: DocumentPath,
  { invalid }: Pick<ReasoningTools, "invalid">,
): readonly Problem[] {
  const { family, ...inline } = entry
  const { type, parameter, activation_parameter: activation, default: preferred, disabled } = inline
  const { effort_flags: flags = {}, levels = [], modes, default_mode: mode } = inline
  const problems: Problem[] = []
  const refuse = (key: keyof ReasoningEntry, message: string): void => {
    problems.push(invalid([...at, key], message))
  }
  if (family !== undefined) {
    const [other] = Object.keys(inline)
    if (other !== undefined) refuse("family", `stands beside ${other}; name a family, or say how the model is told`)
    return problems
  }
  if (type === undefined || parameter === undefined)
    return [invalid(at, "must have a family, or a type and a parameter")]
  if (type === "top_level_reasoning_effort" && parameter !== "reasoning_effort")
    refuse("parameter", 'must be "reasoning_effort" for type top_level_reasoning_effort')
  if (activation !== undefined && type !== "reasoning_effort")
    refuse("activation_parameter", "is for type reasoning_effort only")
  if (activation === parameter)
    refuse("activation_parameter", `must be another one than parameter, which is "${parameter}"`)
  if (preferred !== undefined && levels.length > 0 && !levels.includes(preferred))
    refuse("default", `"${preferred}" is not in levels`)
  if (modes === undefined && mode !== undefined) refuse("default_mode", "does nothing without modes")
  if (modes !== undefined && (mode === undefined || !modes.includes(mode)))
    refuse("default_mode", `must be one of modes: ${modes.join(", ")}`)
  if (modes !== undefined && disabled !== undefined && !modes.includes("disabled"))
    refuse("disabled", 'does nothing without "disabled" in modes')
  if (Object.keys(flags).length > 0) checkFlags(entry, flags, refuse)
  return problems
}

/** Each effort has to be told from the others, by a flag or, for one of them, by none. */
function checkFlags(
  { activation_parameter: activation, parameter, levels = [], disabled }: ReasoningEntry,
  flags: Readonly<Record<string, string>>,
  refuse: (key: keyof ReasoningEntry, message: string) => void,
): void {
  const names = Object.values(flags)
  const unknown = Object.keys(flags).find((effort) => !levels.includes(effort))
  if (activation === undefined) refuse("effort_flags", "does nothing without activation_parameter")
  if (unknown !== undefined) refuse("effort_flags", `"${unknown}" is not in levels`)
  if (new Set(names).size < names.length) refuse("effort_flags", "has one name for two efforts")
  if (names.some((flag) => flag === parameter || flag === activation))
    refuse("effort_flags", "must have other names than parameter and activation_parameter")
  if (levels.filter((level) => level !== disabled).length - names.length > 1)
    refuse("effort_flags", "leaves several efforts without a flag, which cannot be told from each other")
}
