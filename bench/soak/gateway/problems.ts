// What a soaked gateway must not show: growth after its warm-up, unhealthy moments, wrong replies, remains.

import type { Closing, GatewayMinute } from "./gateway.ts"

/** Growth over the warm router. */
export interface Growth {
  readonly liveMib: number
  readonly descriptors: number
  readonly handles: number
  /** Of resident memory, as a share of what the warm router or worker has. */
  readonly residentShare: number
  readonly workerShare: number
}

/** The most that is allowed. */
export interface Limits extends Growth {
  /** Longest wait for a reply of /health. */
  readonly healthMs: number
}

export interface Soaked {
  readonly table: readonly GatewayMinute[]
  /** How many minutes of the table are the warm-up; the last of them is what the others are compared with. */
  readonly warmUp: number
  readonly closing: Closing
}

export function findProblems(
  { table, warmUp, closing }: Soaked,
  limits: Limits,
): { growth: Growth; problems: string[] } {
  const warm = table[warmUp - 1] as GatewayMinute
  const later = table.slice(warmUp)
  // What grows for good is there in every later minute; a single high one is what a minute happened to end with.
  const lasting = (of: (minute: GatewayMinute) => number): number =>
    Math.min(...later.slice(Math.floor(later.length / 2)).map(of)) - of(warm)
  const growth: Growth = {
    liveMib: lasting(({ liveMib }) => liveMib),
    descriptors: lasting(({ descriptors }) => descriptors),
    handles: lasting(({ handles }) => handles),
    residentShare: lasting(({ residentMib }) => residentMib) / warm.residentMib,
    workerShare: lasting(({ workerMib }) => workerMib) / warm.workerMib,
  }
  const grown = (Object.keys(growth) as (keyof Growth)[])
    .filter((name) => growth[name] > limits[name])
    .map((name) => `${name} grew by ${growth[name].toFixed(2)}, at most ${limits[name]} is allowed`)
  return {
    growth,
    problems: [...grown, ...table.flatMap((minute) => wrongIn(minute, warm, limits)), ...wrongAtEnd(closing)],
  }
}

function wrongIn(
  { health, wrong, twice, workers, documents }: GatewayMinute,
  warm: GatewayMinute,
  limits: Limits,
): readonly string[] {
  return [
    ...(health.slowestMs > limits.healthMs
      ? [`/health took ${Math.round(health.slowestMs)} ms, at most ${limits.healthMs} are allowed`]
      : []),
    ...(health.failures > 0 ? [`${health.failures} polls of /health failed`] : []),
    ...(health.polls === 0 ? ["/health was not answered at all"] : []),
    ...wrong.map((outcome) => `hostile client: ${outcome}`),
    ...(twice > 0 ? [`${twice} good requests reached the backend twice`] : []),
    ...(workers.join() === warm.workers.join() && workers.length > 0 ? [] : ["a worker ended or was started again"]),
    ...(documents > 1 ? [] : ["no new document was activated"]),
  ]
}

function wrongAtEnd({ exit, left }: Closing): readonly string[] {
  return [
    ...(exit === 0 ? [] : [`the router ended with ${exit}`]),
    ...(left.length > 0 ? [`${left.length} worker processes outlive the router`] : []),
  ]
}
