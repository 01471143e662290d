import { expect, test } from "vitest"
import { watchedKernel } from "../../../fakes/watched-kernel.ts"

const fast = [{ type: "fast_response", configuration: { message: "no" } }]

test("a decision without models has the default one, with what else it says", async () => {
  const { ask } = await watchedKernel({
    changes: {
      "routing.decisions.0.modelRefs": undefined,
      "routing.decisions.0.plugins": [{ type: "system_prompt", configuration: { system_prompt: "Hurry." } }],
    },
  })
  const { headers } = await ask("an urgent matter")
  expect([headers.get("x-rtr-selected-decision"), headers.get("x-rtr-selected-model")]).toEqual(["rush", "small"])
})

test("a decision without models whose plugin answers has none", async () => {
  const { ask } = await watchedKernel({
    changes: { "routing.decisions.0.modelRefs": [], "routing.decisions.0.plugins": fast },
  })
  const { headers } = await ask("an urgent matter")
  expect([headers.get("x-rtr-response-path"), headers.get("x-rtr-selected-model")]).toEqual(["fast_response", null])
})
