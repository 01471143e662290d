// POST /api/v1/observability/outcomes: what became of earlier requests, for routing that learns. The route brings the keys of
// learning and puts it before the selectors of the decisions.

import { defineRoute, mapOf, operation, section, Type } from "../../kernel/index.ts"
import type { OpenLearning } from "../_shared/learning/adjust-plan.ts"
import { verdicts } from "../_shared/learning/experience.ts"
import { createOutcomeLimit } from "../_shared/learning/outcome-limit.ts"
import { adaptationsSchema, checkAdaptations, checkLearning, learningSchema } from "../_shared/learning/settings.ts"
import { noLearning, takeOutcome, targets } from "../_shared/learning/take-outcome.ts"

const text = (description: string) => Type.String({ description })

export default defineRoute({
  about: "Outcomes of requests, from which routing learns",
  listeners: ["management"],
  settings: { path: ["router", "learning"], schema: learningSchema, check: checkLearning },
  keys: { decision: { adaptations: Type.Optional(adaptationsSchema) }, check: checkAdaptations },
  open: async (host) => (await import("../_shared/learning/adjust-plan.ts")).openLearning(host),
  adjust: async (plan, host) => (await import("../_shared/learning/adjust-plan.ts")).adjustPlan(plan, host),
  operations: [
    operation({
      id: "observability.outcomes.add",
      method: "POST",
      path: "/api/v1/observability/outcomes",
      about: "Says how good the answer to an earlier request was; an Idempotency-Key header counts it once",
      permission: "learning.ingest",
      sensitivity: "mutation",
      capability: "observability",
      plane: "management",
      audiences: ["agent", "operator"],
      visibility: "primary",
      stability: "stable",
      body: section({
        replay_id: text("What the reply to the request had as `x-request-id`"),
        client: Type.Optional(
          text(
            "Who sent that request, as `listener` or `listener/name of the API key`; needed where several used one id",
          ),
        ),
        target: text(`What it is about: one of ${targets.join(", ")}. Only those of models change the routing`),
        verdict: text(`One of ${verdicts.join(", ")}`),
        target_ref: Type.Optional(text("The model that it is about, the one that answered when left out")),
        reason: Type.Optional(text("A few words, 1024 characters at most")),
        score: Type.Optional(Type.Number({ description: "0 to 1" })),
        source: Type.Optional(text("Does not count: who says it is known by the token")),
        metadata: Type.Optional(mapOf(Type.String(), { description: "32 entries at most" })),
      }),
      replies: {
        200: {
          about: "It is taken, or was before",
          schema: Type.Object({
            success: Type.Boolean(),
            updated: Type.Integer({ description: "How many experiences it has changed" }),
            recorded: Type.Boolean(),
            duplicate: Type.Optional(Type.Boolean({ description: "The key was sent before" })),
            timestamp: Type.String(),
          }),
        },
      },
      errors: "management",
      errorStatuses: [404, 409, 429, 503],
      needs: ["clock"],
      setup({ clock }, opened) {
        const limit = createOutcomeLimit(clock)
        return async ({ body, header, principal: { role } }) => {
          if (opened === undefined) throw noLearning()
          limit(role)
          const taken = await takeOutcome(opened as OpenLearning, body, {
            role,
            once: header("idempotency-key"),
            clock,
          })
          return { body: taken }
        }
      },
    }),
  ],
})
