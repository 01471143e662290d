// POST /api/v1/routing/preview: what would happen to a request, and why, without calling a backend.

import {
  type ChatRequest,
  chatCompletions,
  defineRoute,
  type Fact,
  jsonResponse,
  type Plan,
  type Preview,
  readBody,
  RtrError,
} from "../../kernel/index.ts"

export default defineRoute({
  about: "Routing preview",
  listeners: ["management"],
  needs: ["pipeline.preview", "pipeline.run", "plan"],
  operations: [
    {
      method: "POST",
      path: "/api/v1/routing/preview",
      about: "Reads signals, decides and selects; nothing is generated",
    },
  ],
  setup({ preview, createCall, plan }) {
    let running = 0
    return [
      async (from) => {
        const active = plan()
        if (active === undefined)
          throw new RtrError("not_ready", "The router has no active configuration yet", { retryAfterSeconds: 5 })
        const { request, trace } = readPreviewRequest(
          await readBody(from.request, maxBodyBytes, from.hold),
          new URL(from.request.url).searchParams,
        )
        // No queue: a preview that waits would be about a request that is long gone.
        if (running >= active.management.previewConcurrency)
          throw new RtrError("overloaded", `${running} previews run already; try again in a moment`, {
            retryAfterSeconds: 1,
          })
        running += 1
        try {
          const result = await withDeadline(preview(createCall(request, from)), active.management.previewTimeoutMs)
          return jsonResponse(toBody(result, active, trace), result.failed ? 503 : 200, from.id)
        } finally {
          running -= 1
        }
      },
    ]
  },
})

const maxBodyBytes = 10 * 1024 * 1024

const fields: ReadonlySet<string> = new Set([
  "text",
  "messages",
  "model",
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "response_format",
  "max_tokens",
  "max_completion_tokens",
  "options",
])

function readPreviewRequest(body: string, query: URLSearchParams): { request: ChatRequest; trace: boolean } {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new RtrError("invalid_request", "Cannot read the preview request: the body is not valid JSON")
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new RtrError("invalid_request", "Cannot read the preview request: the body must be a JSON object")
  const { text, options, ...rest } = value as Record<string, unknown>
  for (const name of Object.keys(value)) {
    if (!fields.has(name))
      throw new RtrError(
        "invalid_request",
        `Cannot read the preview request: field "${name}" is not supported; it may have ${[...fields].join(", ")}`,
      )
  }
  if ((text === undefined) === (rest["messages"] === undefined))
    throw new RtrError("invalid_request", 'Cannot read the preview request: it must have either "text" or "messages"')
  if (text !== undefined && (typeof text !== "string" || text.trim() === ""))
    throw new RtrError("invalid_request", 'Cannot read the preview request: "text" must be a non-empty string')
  const messages = rest["messages"] ?? [{ role: "user", content: text }]
  const request = chatCompletions.readRequest(writeJson({ model: "MoM", ...rest, messages }))
  return { request, trace: query.get("trace") === "true" || readTraceOption(options) }
}

function writeJson(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    throw new RtrError("invalid_request", "Cannot read the preview request: the body is nested too deeply")
  }
}

function readTraceOption(options: unknown): boolean {
  if (options === undefined) return false
  if (typeof options !== "object" || options === null)
    throw new RtrError("invalid_request", 'Cannot read the preview request: "options" must be an object')
  for (const name of Object.keys(options)) {
    if (name !== "trace")
      throw new RtrError(
        "invalid_request",
        `Cannot read the preview request: option "${name}" is not supported yet; there is "trace"`,
      )
  }
  return (options as { trace?: unknown }).trace === true
}

async function withDeadline<Value>(work: Promise<Value>, deadlineMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RtrError("deadline_exceeded", `The preview took longer than ${deadlineMs / 1000} seconds`)),
      deadlineMs,
    )
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

interface NamedFact extends Fact {
  readonly type: string
}

function toBody(preview: Preview, plan: Plan, trace: boolean): object {
  const facts = plan.signals.flatMap((family) =>
    family.rules.flatMap((_, index): readonly NamedFact[] => {
      const fact = preview.readings.facts[family.firstSlot + index]
      return fact === undefined ? [] : [{ ...fact, type: family.type }]
    }),
  )
  const decision =
    preview.verdict.decision === undefined || !preview.automatic ? undefined : plan.decisions[preview.verdict.decision]
  const keyed = <Value>(entries: readonly (readonly [NamedFact, Value])[]): object =>
    Object.fromEntries(entries.map(([fact, value]) => [`${fact.type}:${fact.rule}`, value]))
  const errors = facts.filter(({ state }) => state === "unknown")
  return {
    original_text: preview.text,
    requested_model: preview.requestedModel,
    ...(preview.automatic && {
      decision_result: {
        decision_name: decision?.name ?? "",
        algorithm: decision?.algorithm ?? "",
        plugins: decision?.plugins.map(({ type }) => type) ?? [],
        confidence: preview.verdict.confidence,
        used_signals: group(facts),
        matched_signals: group(facts.filter(({ state }) => state === "match")),
        unmatched_signals: group(facts.filter(({ state }) => state === "no_match")),
      },
    }),
    ...(trace && { eval_trace: preview.traces }),
    recommended_models: decision?.candidates.map(({ model }) => model) ?? [],
    ...(preview.selectedModel !== undefined &&
      preview.answeredBy === undefined && { selected_model: preview.selectedModel }),
    ...selection(preview),
    routing_decision: decision?.name ?? "",
    metrics: Object.fromEntries(
      Object.entries(preview.readings.familyMs).map(([type, ms]) => [
        type,
        {
          execution_time_ms: ms,
          confidence: Math.max(
            0,
            ...facts.filter((fact) => fact.type === type && fact.state === "match").map(({ confidence }) => confidence),
          ),
        },
      ]),
    ),
    signal_confidences: keyed(facts.filter(({ state }) => state === "match").map((fact) => [fact, fact.confidence])),
    signal_values: keyed(facts.flatMap((fact) => (fact.value === undefined ? [] : [[fact, fact.value] as const]))),
    ...(errors.length > 0 && { signal_errors: keyed(errors.map((fact) => [fact, fact.reason ?? "failed"])) }),
    ...(preview.verdict.appliedPolicies.length > 0 && {
      applied_unknown_policies: Object.fromEntries(
        preview.verdict.appliedPolicies.map(({ decision: name, policy }) => [name, policy]),
      ),
    }),
    ...(preview.failed && {
      decision_error: "a decision with on_unknown: fail_request hangs on signals that could not be read",
    }),
  }
}

function selection(preview: Preview): object {
  if (preview.answeredBy !== undefined)
    return { selection_status: "not_required", selection_method: preview.answeredBy }
  if (preview.selection !== undefined)
    return {
      selection_status: "selected",
      selection_method: preview.selection.algorithm,
      selection_reason: preview.selection.reason,
    }
  if (preview.failed || preview.selectedModel === undefined) return { selection_status: "unavailable" }
  return {
    selection_status: "selected",
    selection_method: preview.automatic ? "default_model" : "explicit",
    selection_reason: preview.automatic ? "no decision matched" : "the request names the model",
  }
}

/** Rule names by the key of their family. */
function group(facts: readonly NamedFact[]): Readonly<Record<string, readonly string[]>> {
  const groups: Record<string, string[]> = {}
  for (const fact of facts) (groups[familyKeys[fact.type] ?? fact.type] ??= []).push(fact.rule)
  return groups
}

const familyKeys: Readonly<Record<string, string>> = { keyword: "keywords", embedding: "embeddings", domain: "domains" }
