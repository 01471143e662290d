// Problems that a check finds only after it has loaded what it needs.

import type { Problem } from "../schema/problem.ts"

/** A check that takes time adds its promise here. */
export type LaterProblems = Promise<readonly Problem[]>[]
