// Takes a CPU profile of another Node process while it works, start-up left out.

import { connectInspector, inspectArguments as argumentsFor } from "../_shared/inspector.ts"

export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** Microseconds between samples. */
  readonly timeDeltas: readonly number[]
}

const port = 19010
const samplingMicroseconds = 200

/** Arguments for the process that is to be profiled. */
export const inspectArguments: readonly string[] = argumentsFor(port)

/** Profiles the process while `work` runs. */
export async function profileDuring(work: () => Promise<void>): Promise<CpuProfile> {
  const { send, close } = await connectInspector(port)
  await send("Profiler.enable")
  await send("Profiler.setSamplingInterval", { interval: samplingMicroseconds })
  await send("Profiler.start")
  await work()
  const { profile } = (await send("Profiler.stop")) as { profile: CpuProfile }
  close()
  return profile
}
