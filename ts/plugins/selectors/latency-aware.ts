// Picks the candidate that has answered fastest of late.

import { defineSelector, type ModelFigures, section, Type } from "../../kernel/index.ts"
import { latencyRatios } from "../_shared/selection/latency-ratios.ts"
import { percentile } from "../_shared/selection/percentile.ts"
import { nextBest, short } from "../_shared/selection/scores.ts"

const percent = Type.Integer({ minimum: 0, maximum: 100 })

const options = section({
  tpot_percentile: Type.Optional({ ...percent, description: "Percentile of the time for each output token" }),
  ttft_percentile: Type.Optional({ ...percent, description: "Percentile of the time to the first byte" }),
  description: Type.Optional(Type.String()),
})

export default defineSelector({
  about: "Picks the candidate that has answered fastest of late",
  options,
  check({ tpot_percentile: tpot, ttft_percentile: ttft }, report) {
    // As the format has it, 0 is left out.
    if (!tpot && !ttft) report([], "needs tpot_percentile, ttft_percentile or both")
  },
  setup({ tpot_percentile: tpot, ttft_percentile: ttft }, { candidates, figures }) {
    const metrics: readonly ((figures: ModelFigures) => number | undefined)[] = [
      ...(!tpot ? [] : [({ perTokenMs }: ModelFigures) => percentile(perTokenMs, tpot)]),
      ...(!ttft ? [] : [({ firstByteMs }: ModelFigures) => percentile(firstByteMs, ttft)]),
    ]
    return {
      select() {
        const ratios = latencyRatios(
          candidates.map(({ model }) => {
            const known = figures(model)
            return metrics.map((metric) => metric(known))
          }),
        )
        const least = Math.min(...ratios)
        if (least === Infinity)
          return { candidate: 0, confidence: 0, reason: "no candidate has enough observations, so the first" }
        const candidate = ratios.indexOf(least)
        const known = ratios.map((ratio) => -ratio).filter((ratio) => ratio > -Infinity)
        const second = -(nextBest(known, known.indexOf(-least)) ?? -Infinity)
        return {
          candidate,
          confidence: second === Infinity ? 1 : (second - least) / second,
          reason: `${short(least)} times the fastest on average of ${metrics.length} metrics`,
        }
      },
    }
  },
})
