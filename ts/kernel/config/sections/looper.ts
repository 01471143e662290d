// Sets up a looper, with what bounds it and shapes its answer. Loaded with the first decision that has one.

import type { grantSetup } from "../../modules/capabilities.ts"
import type { setUp } from "../../modules/set-up.ts"
import { durationMs } from "../../schema/duration.ts"
import type { valueAt } from "../../schema/value-at.ts"
import type { LooperModule } from "../../types/looper.ts"
import type { RegisteredModule } from "../../types/module.ts"
import type { PlannedBudget, PlannedCandidate, PlannedDecision } from "../../types/plan.ts"
import type { CompileContext } from "../compile.ts"
import type { AlgorithmEntry, loopersIn } from "./algorithms.ts"
import { compileOutput, type OutputContract } from "./output-contract.ts"

/** Keys of every looper, as `schema/looper-keys.ts` has them. */
interface StageKeys {
  readonly output_contract?: string
  readonly output_contract_spec?: OutputContract
}
interface AlgorithmKeys {
  readonly on_error?: string
  readonly budget?: { readonly deadline?: string; readonly max_calls?: number; readonly max_cost?: number }
}
interface CallSettings {
  readonly timeout_seconds?: number
  readonly max_response_bytes_mb?: number
  readonly headers?: Readonly<Record<string, string>>
}

export interface LooperInput {
  readonly decision: string
  readonly algorithm: AlgorithmEntry
  /** Of the block. */
  readonly options: object
  readonly candidates: readonly PlannedCandidate[]
  /** The decision as the document has it. */
  readonly entry: object
}

/** What edge hosts have loaded already, and must not load twice. */
interface Loaded {
  readonly grantSetup: typeof grantSetup
  readonly setUp: typeof setUp
  readonly valueAt: typeof valueAt
  readonly loopersIn: typeof loopersIn
}

export async function compileLooper(
  { decision, algorithm, options, candidates, entry }: LooperInput,
  { id, source, module: looper }: RegisteredModule<LooperModule>,
  context: CompileContext,
  loaded: Loaded,
): Promise<Pick<PlannedDecision, "algorithm" | "selector" | "looper">> {
  const name = `looper:${id}`
  const { path } = looper.settings ?? {}
  const settings = ((path && loaded.valueAt(context.document.global, path)) ?? {}) as CallSettings
  const { on_error: onError, budget } = algorithm as AlgorithmKeys
  const granted = loaded.grantSetup(looper.needs ?? [], context.services, { name })
  const running = await loaded.setUp({ kind: "looper", id, source }, () =>
    // What the algorithm says of errors holds for a block that says nothing.
    looper.setup(
      { ...(onError !== undefined && { on_error: onError }), ...options } as never,
      {
        decision,
        candidates,
        settings,
        ...(granted as object),
      } as never,
    ),
  )
  context.closing(name, running)
  const { output_contract: contract = "", output_contract_spec: spec } = entry as StageKeys
  const { timeout_seconds: seconds, max_response_bytes_mb: megabytes = 0, headers = {} } = settings
  return {
    algorithm: id,
    selector: undefined,
    looper: {
      run: (call) => running.run(call),
      modelNames: loaded.loopersIn(context.document, context.registry).find((each) => each.id === id)?.names ?? [],
      budget: budgetOf(budget),
      // As the format has it, 0 and less are 30 seconds.
      callTimeoutMs: seconds === undefined ? undefined : (seconds > 0 ? seconds : 30) * 1000,
      maxReplyBytes: megabytes > 0 ? megabytes * 1024 * 1024 : undefined,
      headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header.toLowerCase(), value])),
      contract: contract.trim() === "" ? undefined : contract.trim(),
      output: spec && compileOutput(spec),
    },
  }
}

const budgetOf = (budget: AlgorithmKeys["budget"]): PlannedBudget => ({
  deadlineMs: budget?.deadline === undefined ? undefined : durationMs(budget.deadline),
  maxCalls: budget?.max_calls,
  maxCost: budget?.max_cost,
})
