// POST /api/v1/routing/preview: what would happen to a request, and why, without calling a backend.

import {
  defineRoute,
  exactlyOneOf,
  type Fact,
  literals,
  mapOf,
  operation,
  type Plan,
  type Preview,
  type PreviewContext,
  RtrError,
  section,
  suggestion,
  Type,
} from "../../kernel/index.ts"

const rawJson = (description: string) => Type.Optional(Type.Unknown({ description }))

const body = exactlyOneOf(
  {
    text: Type.String({ minLength: 1, pattern: "\\S", description: "Text of one user turn" }),
    messages: Type.Array(Type.Unknown(), { minItems: 1, description: "A conversation as chat completions have it" }),
    request: Type.Object({}, { additionalProperties: true, description: "Body of a request of `protocol`, whole" }),
  },
  {
    protocol: Type.Optional(
      Type.String({
        description: "Protocol of `request`: chat_completions, which it is when left out, messages or responses",
      }),
    ),
    model: Type.Optional(
      Type.String({ minLength: 1, pattern: "\\S", description: "Model name; automatic when left out" }),
    ),
    recipe: Type.Optional(
      Type.String({ minLength: 1, description: "Recipe to route by; that of the model name when left out" }),
    ),
    tools: rawJson("As in chat completions"),
    tool_choice: rawJson("As in chat completions"),
    functions: rawJson("As in chat completions"),
    function_call: rawJson("As in chat completions"),
    response_format: rawJson("As in chat completions"),
    max_tokens: rawJson("As in chat completions"),
    max_completion_tokens: rawJson("As in chat completions"),
    preview_context: Type.Optional(
      section(
        {
          session_id: Type.Optional(
            Type.String({ maxLength: 256, description: "In place of the header of a session" }),
          ),
          conversation_id: Type.Optional(
            Type.String({ maxLength: 256, description: "In place of the header of a conversation" }),
          ),
          user_id: Type.Optional(Type.String({ maxLength: 256, description: "Name of the client's API key" })),
          sampling_seed: Type.Optional(
            Type.Integer({ description: "Draws as a request would, repeatably; without it nothing is left to chance" }),
          ),
        },
        { description: "Whose request it would be, for roles and for routing that learns" },
      ),
    ),
    options: Type.Optional(
      section({ trace: Type.Optional(Type.Boolean({ description: "Adds what every rule said" })) }),
    ),
  },
)

const names = mapOf(Type.Array(Type.String()), {
  description: "Rule names by their key under routing.signals",
})
const numbers = mapOf(Type.Number())
const words = mapOf(Type.String())

const reply = Type.Object({
  original_text: Type.String(),
  requested_model: Type.String(),
  recipe: Type.Optional(Type.String({ description: "Left out in a document without recipes" })),
  decision_result: Type.Optional(
    Type.Object({
      decision_name: Type.String({ description: "Empty when no decision matched" }),
      algorithm: Type.String(),
      plugins: Type.Array(Type.String()),
      confidence: Type.Number(),
      used_signals: names,
      matched_signals: names,
      unmatched_signals: names,
    }),
  ),
  eval_trace: Type.Optional(
    Type.Array(
      Type.Object({
        decision_name: Type.String(),
        priority: Type.Integer(),
        tier: Type.Integer(),
        state: literals(["match", "no_match", "unknown"]),
        matched: Type.Boolean(),
        confidence: Type.Number(),
        on_unknown: Type.Optional(Type.String()),
        root_trace: mapOf(Type.Unknown()),
      }),
    ),
  ),
  strategy: Type.Optional(literals(["priority", "confidence"])),
  recommended_models: Type.Array(Type.String()),
  selected_model: Type.Optional(Type.String()),
  selection_status: literals(["selected", "execution_required", "not_required", "unavailable"]),
  selection_method: Type.Optional(Type.String()),
  selection_reason: Type.Optional(Type.String()),
  selection_provenance: Type.Optional(
    Type.Object(
      {
        state_dependent: Type.Boolean({ description: "Other requests may change the choice" }),
        sampled: Type.Boolean({ description: "Drawn with the seed, which does not say what a request will draw" }),
        sampling_seed: Type.Optional(Type.Integer()),
        base_model: Type.String({ description: "What the algorithm chose" }),
        steps: Type.Array(
          Type.Object({
            method: literals(["adaptation", "protection"]),
            mode: literals(["apply", "observe", "bypass"]),
            action: Type.String(),
            reason: Type.String(),
            scope: Type.String(),
            model: Type.String(),
            scores: Type.Optional(mapOf(Type.Number())),
          }),
        ),
      },
      { description: "What was learnt made of the choice; left out where nothing is learnt" },
    ),
  ),
  routing_decision: Type.String(),
  metrics: mapOf(Type.Object({ execution_time_ms: Type.Number(), confidence: Type.Number() })),
  signal_confidences: numbers,
  signal_values: numbers,
  signal_errors: Type.Optional(words),
  unscanned: Type.Optional(
    Type.Array(Type.Object({ guard: Type.String(), rule: Type.String(), reason: Type.String() }), {
      description: "Rules of guards that did not read all that they have to, and why",
    }),
  ),
  findings: Type.Optional(
    Type.Array(
      Type.Object({
        signal: Type.String({ description: "As in signal_values" }),
        kind: Type.String(),
        text: Type.Integer({
          description: "Which of the texts that the rule reads, from 0 in the order of the request",
        }),
        start: Type.Integer({ description: "Code points of that text" }),
        end: Type.Integer({ description: "One more than the last" }),
        confidence: Type.Number(),
      }),
      { description: "What guards found, and where; never what it says. Left out where they found nothing" },
    ),
  ),
  applied_unknown_policies: Type.Optional(words),
  decision_error: Type.Optional(
    Type.String({ description: "What the request is refused with, because such a decision could not be decided" }),
  ),
})

export default defineRoute({
  about: "Routing preview",
  listeners: ["management"],
  operations: [
    operation({
      id: "routing.preview",
      method: "POST",
      path: "/api/v1/routing/preview",
      about: "Reads signals, decides and selects; nothing is generated",
      permission: "classify.invoke",
      sensitivity: "operational",
      capability: "routing",
      plane: "management",
      audiences: ["agent", "operator"],
      stability: "stable",
      query: Type.Object({ trace: Type.Optional(Type.Boolean({ description: "Adds what every rule said" })) }),
      body,
      replies: {
        200: { about: "What would happen", schema: reply },
        503: { about: "The same, where a decision with on_unknown: fail_request could not be decided", schema: reply },
      },
      errors: "management",
      errorStatuses: [404, 503, 504],
      needs: ["routing.preview", "dialects", "plan"],
      setup({ preview, readChat, plan }) {
        let running = 0
        return async ({ body: { options, recipe, preview_context: context, ...fields }, query, call }) => {
          const active = requirePlan(plan())
          const { autoNames, management, recipes } = active
          if (recipe !== undefined && recipe !== "default" && recipes === undefined)
            throw new RtrError("not_found", "The active configuration has no recipes")
          const { previewConcurrency, previewTimeoutMs } = management
          const { protocol = usualProtocol, ...written } = fields
          checkRequest(protocol, written, active)
          checkUser(context?.user_id, active)
          const chat = readChat(protocol, toChatBody(written, autoNames[0] ?? "MoM"))
          // No queue: a preview that waits would be about a request that is long gone.
          if (running >= previewConcurrency)
            throw new RtrError("overloaded", `${running} previews run already; try again in a moment`, {
              retryAfterSeconds: 1,
            })
          running += 1
          try {
            const asked = { ...(recipe !== undefined && { recipe }), ...(context && { context: toContext(context) }) }
            const result = await withDeadline(preview(call(chat), asked), previewTimeoutMs)
            const trace = query.trace === true || options?.trace === true
            return {
              status: result.refused === undefined ? 200 : 503,
              body: toBody(result, trace, context?.sampling_seed),
            }
          } finally {
            running -= 1
          }
        }
      },
    }),
  ],
})

function requirePlan(plan: Plan | undefined): Plan {
  if (plan === undefined)
    throw new RtrError("not_ready", "The router has no active configuration yet", { retryAfterSeconds: 5 })
  return plan
}

const usualProtocol = "chat_completions"

interface Written {
  readonly model?: string
  readonly text?: string
  readonly messages?: readonly unknown[]
  readonly request?: object
}

/** Refuses a protocol that there is not, one without its body, and fields beside a body, which has its own. */
function checkRequest(protocol: string, written: Written, { dialects }: Plan): void {
  const { request } = written
  if (protocol !== usualProtocol && !dialects.has(protocol))
    throw new RtrError("invalid_request", `body.protocol "${protocol}" is none of ${[...dialects.keys()].join(", ")}`)
  if (request === undefined && protocol !== usualProtocol)
    throw new RtrError("invalid_request", "body.protocol is that of body.request, which is left out")
  const beside = Object.keys(written).find((key) => key !== "request" && key !== "model")
  if (request !== undefined && beside !== undefined)
    throw new RtrError("invalid_request", `body.${beside} stands beside body.request; write it in there`)
}

/** No request can come from a key that there is not. */
function checkUser(user: string | undefined, { listeners }: Plan): void {
  const keys = listeners.flatMap(({ apiKeys }) => apiKeys.map(({ name }) => name))
  if (user !== undefined && keys.length > 0 && !keys.includes(user))
    throw new RtrError(
      "invalid_request",
      `preview_context.user_id "${user}" is not the name of an API key of the document${suggestion(user, keys)}`,
    )
}

function toChatBody({ request, ...fields }: Written, automatic: string): object {
  if (request !== undefined) return { model: automatic, ...request, ...fields }
  const { text, messages = [{ role: "user", content: text }], ...rest } = fields
  return { model: automatic, ...rest, messages }
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
  readonly configKey: string
}

/** Facts, rules and decisions are those of the plan that the preview was made with, whatever serves by now. */
function toBody(preview: Preview, trace: boolean, seed: number | undefined): object {
  const { plan } = preview
  const facts = plan.signals.flatMap(({ type, configKey, rules, firstSlot }) =>
    rules.flatMap((_, index): readonly NamedFact[] => {
      const fact = preview.readings.facts[firstSlot + index]
      return fact === undefined ? [] : [{ ...fact, type, configKey }]
    }),
  )
  const decision = matchedDecision(preview)
  const keyed = <Value>(entries: readonly (readonly [NamedFact, Value])[]): object =>
    Object.fromEntries(entries.map(([fact, value]) => [`${fact.type}:${fact.rule}`, value]))
  const errors = facts.filter(({ state }) => state === "unknown")
  const findings = facts.flatMap(({ type, rule, findings: found = [] }) =>
    found.map((finding) => ({ signal: `${type}:${rule}`, ...finding })),
  )
  return {
    original_text: preview.text,
    requested_model: preview.requestedModel,
    ...(preview.automatic && plan.recipe !== undefined && { recipe: plan.recipe }),
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
    ...(trace && { eval_trace: preview.traces, strategy: plan.strategy }),
    recommended_models: decision?.candidates.map(({ model }) => model) ?? [],
    ...(preview.selectedModel !== undefined &&
      preview.answeredBy === undefined && { selected_model: preview.selectedModel }),
    ...selectionOf(preview),
    ...provenance(preview, seed),
    routing_decision: decision?.name ?? "",
    metrics: Object.fromEntries(
      Object.entries(preview.readings.typeMs).map(([type, ms]) => [
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
    signal_values: {
      ...keyed(facts.flatMap((fact) => (fact.value === undefined ? [] : [[fact, fact.value] as const]))),
      ...Object.fromEntries(
        facts.flatMap((fact) =>
          Object.entries(fact.values ?? {}).map(([key, value]) => [`${fact.type}:${fact.rule}:${key}`, value]),
        ),
      ),
    },
    ...(errors.length > 0 && { signal_errors: keyed(errors.map((fact) => [fact, fact.reason ?? "failed"])) }),
    ...(preview.unscanned.length > 0 && { unscanned: preview.unscanned }),
    ...(findings.length > 0 && { findings }),
    ...(preview.verdict.appliedPolicies.length > 0 && {
      applied_unknown_policies: Object.fromEntries(
        preview.verdict.appliedPolicies.map(({ decision: name, policy }) => [name, policy]),
      ),
    }),
    ...(preview.refused !== undefined && { decision_error: preview.refused.message }),
  }
}

const matchedDecision = ({ automatic, verdict, plan, refused }: Preview): Plan["decisions"][number] | undefined =>
  verdict.decision === undefined || !automatic || refused !== undefined ? undefined : plan.decisions[verdict.decision]

function selectionOf(preview: Preview): object {
  if (preview.answeredBy !== undefined)
    return { selection_status: "not_required", selection_method: preview.answeredBy }
  const decision = matchedDecision(preview)
  if (decision?.looper !== undefined || decision?.asking?.callsModels === true)
    return { selection_status: "execution_required", selection_method: decision.algorithm }
  if (preview.selection !== undefined)
    return {
      selection_status: "selected",
      selection_method: preview.selection.algorithm,
      selection_reason: preview.selection.reason,
    }
  if (preview.selectedModel === undefined) return { selection_status: "unavailable" }
  return {
    selection_status: "selected",
    selection_method: preview.automatic ? "default_model" : "explicit",
    selection_reason: preview.automatic ? "no decision matched" : "the request names the model",
  }
}

function provenance({ selection }: Preview, seed: number | undefined): object {
  const learning = selection?.learning
  if (learning === undefined) return {}
  const { base, sampled, steps } = learning
  return {
    selection_provenance: {
      state_dependent: steps.length > 0,
      sampled,
      ...(sampled && seed !== undefined && { sampling_seed: seed }),
      base_model: base.model,
      steps,
    },
  }
}

interface GivenContext {
  readonly session_id?: string
  readonly conversation_id?: string
  readonly user_id?: string
  readonly sampling_seed?: number
}

const toContext = ({ session_id, conversation_id, user_id, sampling_seed }: GivenContext): PreviewContext => ({
  ...(session_id !== undefined && { sessionId: session_id }),
  ...(conversation_id !== undefined && { conversationId: conversation_id }),
  ...(user_id !== undefined && { userId: user_id }),
  ...(sampling_seed !== undefined && { samplingSeed: sampling_seed }),
})

/** Rule names by the key under which the document declares them. */
function group(facts: readonly NamedFact[]): Readonly<Record<string, readonly string[]>> {
  const groups: Record<string, string[]> = {}
  for (const fact of facts) (groups[fact.configKey] ??= []).push(fact.rule)
  return groups
}
