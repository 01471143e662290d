// What a document gets when its model catalogue is silent: one worker with the embedded package for every binding.

import type { Binding, Deployment } from "./schema/global.ts"

/** Name of the deployment that exists without being declared. */
export const defaultDeployment = "starter"

export const starterDeployment: Deployment = {
  provider: "model_runtime",
  artifact: "signals",
  input: { overflow: "truncate" },
}

/** Bindings of the built-in signals. All questions go to one model, so a prompt is read once for all of them. */
export const starterBindings: Readonly<Record<string, Binding>> = {
  domain_classifier: { deployment: defaultDeployment, head: "domain" },
  embedding: { deployment: defaultDeployment },
  fact_check_classifier: { deployment: defaultDeployment, head: "fact_check" },
  feedback_detector: { deployment: defaultDeployment, head: "feedback" },
  modality_detector: { deployment: defaultDeployment, head: "modality" },
  pii_classifier: { deployment: defaultDeployment, head: "pii" },
  prompt_guard: { deployment: defaultDeployment, head: "jailbreak" },
}
