// Leaves the candidates that cannot take a request out of the choice, where the document asks for that.

import type { SkippedModel } from "../../../types/call.ts"
import type { ChatRequest } from "../../../types/chat.ts"
import type { PlannedDecision, PlannedFallback } from "../../../types/plan.ts"
import type { select } from "../../selection/select.ts"
import { readNeeds } from "./request-needs.ts"

/** Takes the arguments of `select` behind it; undefined where every candidate can take the request, or none. */
export type SelectAble = (choose: typeof select, ...args: Parameters<typeof select>) => ReturnType<typeof select>

export interface NarrowedDecision {
  readonly decision: PlannedDecision
  readonly skipped: readonly SkippedModel[]
}

export interface Able {
  readonly selectAble: SelectAble
  /** The decision without the candidates that cannot take the request. */
  readonly narrowed: (decision: PlannedDecision, request: ChatRequest) => Promise<NarrowedDecision | undefined>
}

export function createAble(usual: PlannedFallback): Able {
  const able = (decision: PlannedDecision, request: ChatRequest) => {
    const lacks = readNeeds(request, usual.ofDecision?.get(decision.name) ?? usual)
    const skipped: SkippedModel[] = []
    const positions = decision.candidates.flatMap(({ model, target }, position) => {
      const reason = lacks(target.card)
      if (reason === undefined) return [position]
      skipped.push({ model, reason })
      return []
    })
    return skipped.length === 0 || positions.length === 0 ? undefined : { positions, skipped }
  }
  return {
    selectAble(choose, decision, input, host, call) {
      const found = able(decision, input.request)
      if (found === undefined || usual.narrow === undefined) return undefined
      const { positions } = found
      const choosing = async () => {
        const narrowed = await usual.narrow?.(decision, positions)
        const choice = await choose(narrowed ?? decision, input, host, call)
        return choice && { ...choice, candidate: positions[choice.candidate] ?? choice.candidate }
      }
      return choosing()
    },
    async narrowed(decision, request) {
      const found = able(decision, request)
      if (found === undefined || usual.narrow === undefined) return undefined
      const narrowed = await usual.narrow(decision, found.positions)
      return narrowed === decision ? undefined : { decision: narrowed, skipped: found.skipped }
    },
  }
}
