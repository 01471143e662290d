// `global.router.learning` and `decisions[].adaptations`: their keys, and what a decision makes of both.

import { literals, type Report, section, type Static, type TSchema, Type } from "../../../kernel/index.ts"
import { checkRedis } from "../responses/kept/redis-section.ts"

const optional = <Properties extends Readonly<Record<string, TSchema>>>(properties: Properties) =>
  section(
    Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, Type.Optional(schema)])) as {
      [Key in keyof Properties]: ReturnType<typeof Type.Optional<Properties[Key]>>
    },
  )

const describe = (description: string) => ({ description })
const positive = (description: string) => Type.Number({ minimum: 0, description })
const whole = (minimum: number, description: string) => Type.Integer({ minimum, description })
const candidateSet = literals(["decision", "tier", "global"], {
  description:
    "Where better models are looked for: among those of the decision, of all decisions of its tier, or of all decisions; `decision` when left out",
})
const mode = literals(["apply", "observe", "bypass"], {
  description:
    "`apply` may change the model, `observe` only tells what it would do, `bypass` does nothing; `apply` when left out",
})
const switchMargin = positive("What another model has to be better by, 0 to 1; 0.05 when left out")
const stabilityWeight = positive("What the costs of a switch are multiplied by; 1 when left out")

export const learningSchema = optional({
  enabled: Type.Boolean(describe("Whether earlier requests have a say; false when left out")),
  adaptation: optional({
    enabled: Type.Boolean(describe("Whether outcomes change the choice of models; true when left out")),
    candidate_set: candidateSet,
    strategy: literals(["routing_sampling"]),
  }),
  protection: optional({
    enabled: Type.Boolean(describe("Whether conversations stay with their model; true when left out")),
    scope: literals(["conversation", "session"], {
      description: "What stays with its model; `conversation` when left out",
    }),
    identity: optional({
      headers: optional({
        session: Type.String({
          minLength: 1,
          description: "Header with the id of a session; `x-session-id` when left out",
        }),
        conversation: Type.String({
          minLength: 1,
          description: "Header with the id of a conversation; `x-conversation-id` when left out",
        }),
      }),
    }),
    tuning: optional({
      idle_timeout_seconds: positive("A conversation that rests so long may change its model; 300 when left out"),
      min_turns_before_switch: whole(0, "Turns that a model has at least; 1 when left out"),
      switch_margin: switchMargin,
      stability_weight: stabilityWeight,
    }),
  }),
  state_store: optional({
    backend: literals(["local", "redis"], {
      description:
        "`local`, the store of `global.stores.state`, when left out; `redis` is a server for several routers",
    }),
    ttl_seconds: whole(0, "How long conversations are remembered; 86400, a day, when left out or 0"),
    timeout_ms: whole(0, "How long a request waits for the store; 50 when left out or 0"),
    redis: optional({
      address: Type.String({ minLength: 1, description: "`host:port`" }),
      password: Type.String(describe("Best a `${VARIABLE}`")),
      database: whole(0, "Number of the database; 0 when left out"),
      key_prefix: Type.String(describe("What every key begins with; `rtr:` when left out")),
    }),
  }),
})

export const adaptationsSchema = optional({
  mode,
  adaptation: optional({ mode, candidate_set: candidateSet }),
  protection: optional({ mode, stability_weight: stabilityWeight, switch_margin: switchMargin }),
})

export type LearningSection = Static<typeof learningSchema>
export type AdaptationsSection = Static<typeof adaptationsSchema>
export type Mode = "apply" | "observe" | "bypass"
export type CandidateSet = "decision" | "tier" | "global"

const modes: readonly Mode[] = ["apply", "observe", "bypass"]

/** What a decision and the document say together about one decision. */
export interface DecisionLearning {
  readonly adaptation: { readonly mode: Mode; readonly candidateSet: CandidateSet }
  readonly protection: {
    readonly mode: Mode
    readonly scope: "conversation" | "session"
    readonly headers: { readonly session: string; readonly conversation: string }
    readonly idleMs: number
    readonly minTurns: number
    readonly switchMargin: number
    readonly stabilityWeight: number
  }
}

/** A component that is switched off for the document does nothing for any decision. */
export function learningOf(
  { adaptation, protection }: LearningSection,
  { mode: most = "apply", adaptation: own = {}, protection: stay = {} }: AdaptationsSection = {},
): DecisionLearning {
  const modeOf = (enabled: boolean | undefined, said: Mode | undefined): Mode =>
    enabled === false ? "bypass" : (said ?? most)
  const { scope = "conversation", identity, tuning = {} } = protection ?? {}
  const { session = "x-session-id", conversation = "x-conversation-id" } = identity?.headers ?? {}
  return {
    adaptation: {
      mode: modeOf(adaptation?.enabled, own.mode),
      candidateSet: own.candidate_set ?? adaptation?.candidate_set ?? "decision",
    },
    protection: {
      mode: modeOf(protection?.enabled, stay.mode),
      scope,
      headers: { session: session.toLowerCase(), conversation: conversation.toLowerCase() },
      idleMs: (tuning.idle_timeout_seconds ?? 300) * 1000,
      minTurns: tuning.min_turns_before_switch ?? 1,
      switchMargin: stay.switch_margin ?? tuning.switch_margin ?? 0.05,
      stabilityWeight: stay.stability_weight ?? tuning.stability_weight ?? 1,
    },
  }
}

/** Whether anything is learnt at all. */
export const isLearning = ({ enabled, adaptation, protection }: LearningSection): boolean =>
  enabled === true && (adaptation?.enabled !== false || protection?.enabled !== false)

export function checkLearning(settings: unknown, report: Report): void {
  const { state_store: store } = settings as LearningSection
  if (store?.backend !== "redis") {
    if (store?.redis !== undefined)
      report(["state_store", "redis"], 'has no effect, because "backend" is not "redis"', "warning")
    return
  }
  const { address } = store.redis ?? {}
  if (address === undefined)
    return report(["state_store", "redis", "address"], "is missing; backend redis needs the address of a server")
  checkRedis({ address }, (path, message) => report(["state_store", "redis", ...path], message))
}

/** A component does no more than the decision as a whole. */
export function checkAdaptations(decision: object, report: Report, document: object): void {
  const { adaptations } = decision as { readonly adaptations?: AdaptationsSection }
  if (adaptations === undefined) return
  const { mode: most = "apply" } = adaptations
  for (const name of ["adaptation", "protection"] as const) {
    const own = adaptations[name]?.mode
    if (own !== undefined && modes.indexOf(own) < modes.indexOf(most))
      report(["adaptations", name, "mode"], `"${own}" does more than the mode of the decision, "${most}"`)
  }
  const { global } = document as { readonly global?: { readonly router?: { readonly learning?: LearningSection } } }
  if (Object.keys(adaptations).length > 0 && global?.router?.learning?.enabled !== true)
    report(["adaptations"], "has no effect without global.router.learning.enabled: true", "warning")
}
