// How many outcomes a role may send.

import { ManagementError } from "../../../kernel/index.ts"

const most = 60
const windowMs = 60_000

/** Throws `RATE_LIMITED` for more than 60 in any minute. Roles come from the configuration, so they are few. */
export function createOutcomeLimit(clock: () => number): (role: string) => void {
  const sent = new Map<string, number[]>()
  return (role) => {
    const now = clock()
    const recent = (sent.get(role) ?? []).filter((at) => at > now - windowMs)
    if (recent.length >= most)
      throw new ManagementError(
        429,
        "RATE_LIMITED",
        `Role "${role}" may send ${most} outcomes a minute; try again later`,
      )
    recent.push(now)
    sent.set(role, recent)
  }
}
