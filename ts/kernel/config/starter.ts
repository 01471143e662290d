// What a document gets when its model catalogue is silent: one worker with the embedded package for every binding.

import type { Binding, Deployment } from "./schema/global.ts"

/** Name of the deployment that exists without being declared. */
export const defaultDeployment = "starter"

export const starterDeployment: Deployment = {
  provider: "model_runtime",
  artifact: "minilm",
  input: { overflow: "truncate" },
}

/** Bindings of the built-in signals. All questions go to one model, so a prompt is read once for all of them. */
export const starterBindings: Readonly<Record<string, Binding>> = {
  domain_classifier: { deployment: defaultDeployment, head: "domain" },
  embedding: { deployment: defaultDeployment },
  pii_classifier: { deployment: defaultDeployment, head: "pii" },
}
