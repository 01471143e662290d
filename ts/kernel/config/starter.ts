// What a document gets when its model catalogue is silent: one worker with the embedded package for every binding.

import type { Binding, Deployment } from "./schema/global.ts"

/** Name of the deployment that exists without being declared. */
export const defaultDeployment = "starter"

export const starterDeployment: Deployment = {
  provider: "model_runtime",
  artifact: "minilm",
  input: { overflow: "truncate" },
}

/** Bindings of the built-in signals. Both questions go to one model, so a prompt is read once for both. */
export const starterBindings: Readonly<Record<string, Binding>> = {
  domain_classifier: { deployment: defaultDeployment, head: "domain" },
  embedding: { deployment: defaultDeployment },
}
