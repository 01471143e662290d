// Parts of the pipeline that only some documents need; an edge bundle without them is smaller by a tenth of the kernel.

import { RtrError } from "../error.ts"
import type { Plan } from "../types/plan.ts"

export interface Stages {
  /** For decisions with plugins. */
  readonly runPlugins?: typeof import("./plugins.ts").runPlugins
  /** For decisions with a looper. */
  readonly runLooper?: typeof import("./looper/run-looper.ts").runLooper
  /** For backends that write reasoning into their text. */
  readonly splitThinking?: typeof import("./upstream/think-tags.ts").splitThinking
  /** For signals that ask a model. */
  readonly createQuestionBatch?: typeof import("./question-batch.ts").createQuestionBatch
  /** For plugins that have signals read replies. */
  readonly judgeReply?: typeof import("./replies/judge-reply.ts").judgeReply
  /** For guards. */
  readonly securityChecks?: typeof import("./security-checks.ts").securityChecks
  /** For selectors that ask a model. */
  readonly askSelector?: typeof import("./selection/ask-selector.ts").askSelector
}

/** A plan asks for what it did not load. */
export const notLoaded = (): never => {
  throw new RtrError("internal_error", "A stage of the pipeline is not loaded; this is a bug")
}

type Needs = Pick<Plan, "decisions" | "signals" | "models">

/** What this plan needs. */
export async function loadStages({ decisions, signals, models }: Needs): Promise<Stages> {
  const judging = decisions.flatMap(({ plugins }) => plugins.flatMap(({ judges = [] }) => judges))
  const backends = [...models.values()].flatMap((model) => model.backends)
  return {
    ...(decisions.some(({ plugins }) => plugins.length > 0) && {
      runPlugins: (await import("./plugins.ts")).runPlugins,
    }),
    ...(decisions.some(({ looper }) => looper !== undefined) && {
      runLooper: (await import("./looper/run-looper.ts")).runLooper,
    }),
    ...(backends.some(({ thinkTags }) => thinkTags !== undefined) && {
      splitThinking: (await import("./upstream/think-tags.ts")).splitThinking,
    }),
    ...(decisions.some(({ asking }) => asking !== undefined) && {
      askSelector: (await import("./selection/ask-selector.ts")).askSelector,
    }),
    ...(signals.some(({ guard }) => guard !== undefined) && {
      securityChecks: (await import("./security-checks.ts")).securityChecks,
    }),
    ...(judging.length > 0 && { judgeReply: (await import("./replies/judge-reply.ts")).judgeReply }),
    ...([...signals, ...judging].some(({ target }) => target !== undefined) && {
      createQuestionBatch: (await import("./question-batch.ts")).createQuestionBatch,
    }),
  }
}
