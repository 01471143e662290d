// What guards say to a request, whatever decisions make of it.

import { RtrError } from "../../error.ts"
import type { Call, CallRecord, SignalReadings } from "../../types/call.ts"
import type { GuardReading } from "../../types/guard.ts"
import type { PlannedSignal } from "../../types/plan.ts"
import type { PipelineHost } from "../run.ts"
import type { readSignals, toSignalInput } from "../signals.ts"
import type { unscannedIn } from "../unscanned.ts"

export interface GuardSteps {
  readonly readSignals: typeof readSignals
  readonly toSignalInput: typeof toSignalInput
  readonly unscannedIn: typeof unscannedIn
}

/** Returns what reads the guards of the plan alone, and adds what they took and did not read to a record. */
export function createReadGuards(
  host: PipelineHost,
  { readSignals: read, toSignalInput: toInput, unscannedIn: notRead }: GuardSteps,
): (call: Call, record: CallRecord) => Promise<readonly GuardReading[]> {
  const signals = guardsOf(host.plan.signals)
  const plan = { ...host.plan, signals }
  return async (call, record) => {
    if (call.client.aborted) throw new RtrError("client_closed_request", "The client left before its text was read")
    const readings = await read({ ...host, plan }, call, toInput(call, host))
    record.readings = sumOf(record.readings, readings)
    record.unscanned = [...record.unscanned, ...notRead(signals, readings)]
    return signals.flatMap(({ type, rules, firstSlot, guard, onUnknown }) =>
      (guard ?? []).map((policy, index) => {
        const rule = rules[index] as string
        const fact = readings.facts[firstSlot + index] ?? { rule, state: "unknown", confidence: 0, reason: "failed" }
        return { guard: type, fact, policy, onUnknown }
      }),
    )
  }
}

/** Signals of a level below a guard may be what it reads. */
function guardsOf(signals: readonly PlannedSignal[]): readonly PlannedSignal[] {
  const levels = signals.flatMap(({ guard, level }) => (guard === undefined ? [] : [level]))
  return signals.filter(({ guard, level }) => guard !== undefined || level < Math.max(...levels))
}

/** The time of several texts. Facts of one say nothing of the others. */
function sumOf(sum: SignalReadings | undefined, { typeMs, totalMs }: SignalReadings): SignalReadings {
  const types: Record<string, number> = { ...sum?.typeMs }
  for (const type in typeMs) types[type] = (types[type] ?? 0) + (typeMs[type] ?? 0)
  return { facts: [], typeMs: types, totalMs: (sum?.totalMs ?? 0) + totalMs }
}
