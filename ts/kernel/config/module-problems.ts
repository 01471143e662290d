// What the checks of modules find in a document, some of them only after they have loaded what they need.

import { type DocumentPath, RtrError, secondsText } from "../error.ts"
import type { RegisteredModule } from "../types/module.ts"
import { namingModule } from "../modules/set-up.ts"
import { withinTime } from "../modules/within-time.ts"
import { type Problem, reportInto } from "../schema/problem.ts"
import type { MaybePromise, Report } from "../types/module-base.ts"

/** A check that takes time adds its promise here, with `addLater`. */
export type LaterProblems = Promise<readonly Problem[]>[]

/** Another check may throw before anybody awaits this one. Its own rejection would then be unhandled, which ends a Node process. */
export function addLater(later: LaterProblems, problems: Promise<readonly Problem[]>): void {
  problems.catch(() => {})
  later.push(problems)
}

const checkMs = 30_000

/**
 * What a module's check reports about what stands at `path`. A check that takes time, because it loads a library or reads a
 * file, adds its problems to `later`. Throws, or rejects there, with an `RtrError` that names the module.
 */
export function moduleProblems(
  { id, module: { kind }, source }: RegisteredModule,
  path: DocumentPath,
  later: LaterProblems,
  check: (report: Report) => MaybePromise<void> | undefined,
): readonly Problem[] {
  const named = (error: unknown): unknown => namingModule({ kind, id, source }, error, { action: "check", path })
  const problems: Problem[] = []
  try {
    const checked = check(reportInto(problems, path))
    // A promise of another library has no more than `then`.
    if (typeof (checked as PromiseLike<void> | undefined)?.then !== "function") return problems
    const tooLate = new RtrError("invalid_module", `its check did not end within ${secondsText(checkMs)}`)
    const found = withinTime(Promise.resolve(checked), checkMs, tooLate).then(
      () => problems,
      (error: unknown) => {
        throw named(error)
      },
    )
    addLater(later, found)
    return []
  } catch (error) {
    throw named(error)
  }
}
