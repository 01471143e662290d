// What a preview comes to, as route tests compare it.

import type { RoutingPreviewReply } from "../management-client.gen.ts"
import { type RuleTrace, tracesOf } from "./rule-tree.ts"
import type { Expectation, factStates } from "./route-cases.ts"

export type FactState = (typeof factStates)[number]

export interface RouteOutcome {
  /** Empty for none. */
  readonly decision: string
  /** Undefined where no model is chosen before one is asked: by a looper, where a plugin answers, or where there is none. */
  readonly model: string | undefined
  /** The looper, selector or plugin that stands where no model does. */
  readonly instead?: string
  /** By `type:rule`, those that some decision asks for. */
  readonly signals: Readonly<Record<string, FactState>>
  /** What the request is refused with, because a decision with `on_unknown: fail_request` could not be decided. */
  readonly refused?: string
  /** Left out in a document without recipes, and where the prompt names its model. */
  readonly recipe?: string
  /** Signals that could not be read, with the reason, by `type:rule`. A guard's may count as found nevertheless. */
  readonly unread?: Readonly<Record<string, string>>
}

export function outcomeOf(reply: RoutingPreviewReply): RouteOutcome {
  const signals: Record<string, FactState> = {}
  const visit = (node: RuleTrace): void => {
    if (node.node_type === "leaf" && node.predicate === undefined)
      signals[`${node.signal_type}:${node.signal_name}`] = node.state
    node.children?.forEach(visit)
  }
  for (const { root_trace: root } of tracesOf(reply)) visit(root)
  const {
    recipe,
    routing_decision: decision,
    selected_model: model,
    selection_method: method,
    signal_errors: unread,
    decision_error: refused,
  } = reply
  return {
    decision,
    model,
    ...(model === undefined && method !== undefined && { instead: method }),
    ...(refused !== undefined && { refused }),
    signals,
    ...(recipe !== undefined && { recipe }),
    ...(unread !== undefined && { unread }),
  }
}

/** `stay`, of another recipe than the default one `private::stay`; empty for none. */
export const decisionText = ({ recipe = "default", decision }: RouteOutcome): string =>
  recipe === "default" || decision === "" ? decision : `${recipe}::${decision}`

/** The model, or in brackets what stands in its place; empty for none. */
export const modelText = ({ model, instead, refused }: RouteOutcome): string =>
  model ?? (refused !== undefined ? "(refused)" : instead === undefined ? "" : `(${instead})`)

/** `unread: pii:personal-data (timeout)`; empty where every signal was read. */
export function unreadText({ unread = {} }: RouteOutcome): string {
  const named = Object.entries(unread).map(([name, reason]) => `${name} (${reason})`)
  return named.length === 0 ? "" : `unread: ${named.join(", ")}`
}

/** Each difference as a line such as `decision: expected "code", got "math"`, and then which signals could not be read. */
export function differences(expected: Expectation, outcome: RouteOutcome): readonly string[] {
  const found = differing(expected, outcome)
  const unread = unreadText(outcome)
  return found.length === 0 || unread === "" ? found : [...found, unread]
}

function differing(expected: Expectation, outcome: RouteOutcome): readonly string[] {
  const { decision, model, signals, refused } = outcome
  const asksRoute = expected.decision !== undefined || expected.model !== undefined
  const isExpected = expected.refused ?? !asksRoute
  return [
    ...(refused !== undefined && !isExpected ? [`refused: ${refused}`] : []),
    ...(refused === undefined && expected.refused === true ? ["refused: expected, but the request is routed"] : []),
    ...(expected.decision === undefined || expected.decision === decision
      ? []
      : [`decision: expected ${quoted(expected.decision)}, got ${quoted(decision)}`]),
    ...(expected.model === undefined || expected.model === model
      ? []
      : [
          `model: expected ${quoted(expected.model)}, got ${model === undefined ? modelText(outcome) || "none" : quoted(model)}`,
        ]),
    ...Object.entries(expected.signals ?? {}).flatMap(([name, state]) =>
      signals[name] === state
        ? []
        : [`${name}: expected ${state}, got ${signals[name] ?? "nothing: no decision asks for it"}`],
    ),
  ]
}

const quoted = (name: string): string => (name === "" ? "none" : `"${name}"`)

/**
 * What is expected after an update: all that was written, as it is now; decision and model where nothing was. A signal that no
 * decision asks for stays as it was written, so that its test goes on to fail.
 */
export function expectationOf(written: Expectation | undefined, outcome: RouteOutcome): Expectation {
  const { decision, model, signals, refused } = outcome
  const { signals: asked, ...route } = written ?? { decision: "", model: "" }
  const asksBoth = route.refused !== undefined
  const place =
    refused === undefined
      ? {
          ...((asksBoth || route.decision !== undefined) && { decision }),
          ...((asksBoth || route.model !== undefined) && model !== undefined && { model }),
        }
      : { refused: true }
  return {
    ...place,
    ...(asked !== undefined && {
      signals: Object.fromEntries(Object.entries(asked).map(([name, state]) => [name, signals[name] ?? state])),
    }),
  }
}
