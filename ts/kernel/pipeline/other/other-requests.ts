// What the pipeline does for requests that are no chats. It loads with the first document whose routes ask for it.

import { RtrError } from "../../error.ts"
import type { OtherApi, OtherRequests } from "../../types/capability.ts"
import type { ModelTarget } from "../../types/plan.ts"
import { inApi } from "./other-api.ts"
import { createReadGuards, type GuardSteps } from "./read-guards.ts"
import type { answer, callModel, PipelineHost, resolveModel } from "../run.ts"

/** Steps of the pipeline. They are handed in: imported here, they would be files of their own on edge hosts, which do without this one. */
export interface PipelineSteps extends GuardSteps {
  readonly answer: typeof answer
  readonly callModel: typeof callModel
  readonly resolveModel: typeof resolveModel
}

export function createOtherRequests(host: PipelineHost, steps: PipelineSteps): OtherRequests {
  /** Kept, because a model's calls take turns among its backends. */
  const targets = new Map<OtherApi, Map<ModelTarget, ModelTarget>>()
  const targetOf = (api: OtherApi, model: ModelTarget): ModelTarget => {
    const known = targets.get(api) ?? new Map<ModelTarget, ModelTarget>()
    targets.set(api, known)
    const target = known.get(model) ?? inApi(api, model)
    known.set(model, target)
    return target
  }

  return {
    inference: host.inference,
    readGuards: createReadGuards(host, steps),
    answer: (call, work) => steps.answer(host, call, work),
    async callModel(call, record, api) {
      const model = steps.resolveModel(host.plan, call)
      if (model !== undefined) return steps.callModel(host, call, record, targetOf(api, model))
      const message = `Automatic routing chooses among chat models; name a model for ${api.path}`
      throw new RtrError("invalid_request", message)
    },
  }
}
