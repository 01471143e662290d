// Data: families of models that documents may name without declaring them, as vLLM Semantic Router 0.4.0 has them.

import type { ReasoningEntry } from "./keys.ts"

type Mode = NonNullable<ReasoningEntry["default_mode"]>
type Inline = Omit<ReasoningEntry, "family">

/** Switched by an argument of the template. */
const switched = (
  parameter: string,
  modes: readonly Mode[] = ["enabled", "disabled"],
  mode: Mode = "enabled",
): Inline => ({
  type: "chat_template_kwargs",
  parameter,
  modes: [...modes],
  default_mode: mode,
})

/** With efforts, the default one last where it is not said. */
const efforts = (levels: string, more: Inline = {}): Inline => ({
  type: "reasoning_effort",
  parameter: "reasoning_effort",
  levels: levels.split(" "),
  modes: more.disabled === undefined && more.activation_parameter === undefined ? ["enabled"] : ["enabled", "disabled"],
  default_mode: "enabled",
  ...more,
})

const activated = { activation_parameter: "enable_thinking" }
const always: Inline = { modes: ["enabled"] }
const claude = (modes: readonly Mode[], mode: Mode): Inline => ({
  ...efforts("low medium high xhigh max", { default: "high" }),
  parameter: "effort",
  modes: [...modes],
  default_mode: mode,
})

export const reasoningFamilies: Readonly<Record<string, Inline>> = {
  deepseek: efforts("low high max", { default: "high", modes: ["enabled", "disabled"] }),
  "deepseek-v3.2": switched("thinking"),
  "deepseek-v3.1": switched("thinking"),
  qwen3: switched("enable_thinking"),
  "qwen3-always-on": switched("enable_thinking", ["enabled"]),
  "qwen3.8": efforts("low medium xhigh", { ...activated, default: "xhigh" }),
  "qwen3.8-always-on": efforts("low medium xhigh", { ...activated, ...always, default: "xhigh" }),
  glm: switched("enable_thinking"),
  "glm-5.2": efforts("high max", { ...activated, default: "max" }),
  "glm-5.3": efforts("low high max", { default: "max" }),
  hunyuan: switched("enable_thinking"),
  "hunyuan-hy3": efforts("low high", { default: "high", disabled: "no_think", default_mode: "disabled" }),
  "hunyuan-hy4": efforts("high", { default: "high", disabled: "no_think" }),
  "gpt-oss": efforts("low medium high", { default: "medium" }),
  gpt: efforts("minimal low medium high xhigh max", { default: "medium", disabled: "none" }),
  "gpt-6-astra": efforts("low medium high xhigh max"),
  "gpt-5.6": efforts("low medium high xhigh max", { default: "medium", disabled: "none" }),
  "gpt-5.5": efforts("low medium high xhigh", { default: "medium", disabled: "none" }),
  "gpt-5.4": efforts("low medium high xhigh", { default: "medium", disabled: "none", default_mode: "disabled" }),
  "grok-4.3": efforts("low medium high", { default: "low", disabled: "none" }),
  "grok-4.5": efforts("low medium high", { default: "high" }),
  "grok-4.6": efforts("low medium high xhigh", { default: "high" }),
  "claude-effort-always-on": claude(["adaptive"], "adaptive"),
  "claude-effort-adaptive": claude(["adaptive", "disabled"], "adaptive"),
  "claude-effort-opt-in": claude(["adaptive", "disabled"], "disabled"),
  "kimi-k3": efforts("low high max", { default: "max" }),
  "kimi-k2": switched("thinking"),
  "kimi-k2-always-on": switched("thinking", ["enabled"]),
  "step-3.7": efforts("low medium high", { default: "medium" }),
  "minimax-m3": {
    type: "reasoning_mode",
    parameter: "thinking_mode",
    modes: ["disabled", "adaptive", "enabled"],
    default_mode: "adaptive",
  },
  "muse-glimmer": { ...efforts("low medium high xhigh", { default: "high" }), parameter: "reasoning_strength" },
  "mistral-none-high": efforts("high", { default: "high", disabled: "none", default_mode: "disabled" }),
  mimo: switched("enable_thinking"),
  inkling: efforts("minimal low medium high xhigh max", { default: "high", disabled: "none" }),
  "muse-spark": efforts("minimal low medium high xhigh"),
  "muse-spark-1.3": efforts("minimal low medium high xhigh max"),
  gemma4: switched("enable_thinking", ["enabled", "disabled"], "disabled"),
  "nemotron-thinking-toggle": switched("enable_thinking"),
  "nemotron-super": efforts("low high", { ...activated, default: "high", effort_flags: { low: "low_effort" } }),
  "nemotron-ultra": efforts("medium high", {
    ...activated,
    default: "high",
    effort_flags: { medium: "medium_effort" },
  }),
  "gemini-flash-four-level-medium": efforts("minimal low medium high", { default: "medium" }),
  "gemini-flash-three-level-medium": efforts("low medium high", { default: "medium" }),
}
