import { expect, test } from "vitest"
import { checkInline } from "../../../../../ts/kernel/config/sections/reasoning/checks.ts"
import type { ReasoningEntry } from "../../../../../ts/kernel/config/sections/reasoning/keys.ts"
import { formatPath, invalid } from "../../../../../ts/kernel/schema/problem.ts"

const effort = { type: "reasoning_effort", parameter: "p", levels: ["low", "medium", "high"] } as const
const active = { ...effort, activation_parameter: "a" }

test.each<[object, readonly string[]]>([
  [{ family: "glm" }, []],
  [{ type: "chat_template_kwargs", parameter: "p" }, []],
  [{ ...active, levels: ["low", "high", "off"], disabled: "off", effort_flags: { low: "l" } }, []],
  [{ ...effort, modes: ["enabled", "disabled"], default_mode: "disabled", default: "low" }, []],
  [{ family: "glm", parameter: "p" }, ["family: stands beside parameter; name a family, or say how the model is told"]],
  [{}, [": must have a family, or a type and a parameter"]],
  [{ type: "reasoning_effort" }, [": must have a family, or a type and a parameter"]],
  [
    { type: "top_level_reasoning_effort", parameter: "p" },
    ['parameter: must be "reasoning_effort" for type top_level_reasoning_effort'],
  ],
  [
    { type: "chat_template_kwargs", parameter: "p", activation_parameter: "a" },
    ["activation_parameter: is for type reasoning_effort only"],
  ],
  [
    { ...effort, activation_parameter: "p" },
    ['activation_parameter: must be another one than parameter, which is "p"'],
  ],
  [{ ...effort, default: "max" }, ['default: "max" is not in levels']],
  [{ ...effort, default_mode: "enabled" }, ["default_mode: does nothing without modes"]],
  [{ ...effort, modes: ["enabled"] }, ["default_mode: must be one of modes: enabled"]],
  [{ ...effort, modes: ["enabled"], default_mode: "adaptive" }, ["default_mode: must be one of modes: enabled"]],
  [
    { ...effort, modes: ["enabled"], default_mode: "enabled", disabled: "none" },
    ['disabled: does nothing without "disabled" in modes'],
  ],
  [
    { ...effort, levels: ["low"], effort_flags: { low: "l" } },
    ["effort_flags: does nothing without activation_parameter"],
  ],
  [{ ...active, effort_flags: { low: "l", max: "m", high: "h" } }, ['effort_flags: "max" is not in levels']],
  [{ ...active, effort_flags: { low: "l", high: "l" } }, ["effort_flags: has one name for two efforts"]],
  [
    { ...active, effort_flags: { low: "a", high: "h" } },
    ["effort_flags: must have other names than parameter and activation_parameter"],
  ],
  [
    { ...active, effort_flags: { low: "l" } },
    ["effort_flags: leaves several efforts without a flag, which cannot be told from each other"],
  ],
])("%j", (entry, problems) =>
  expect(
    checkInline(entry as ReasoningEntry, [], { invalid }).map(
      ({ path, message }) => `${path.length === 0 ? "" : formatPath(path)}: ${message}`,
    ),
  ).toEqual(problems),
)
