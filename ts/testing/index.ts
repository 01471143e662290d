// The entry `rtr/testing`: contract suites and fakes for authors of modules.

export { awkwardTexts, type ContractCase, deepFreeze } from "./case.ts"
export {
  createFakeInference,
  createFakeQuestions,
  type FakeInference,
  type FakeInferenceOptions,
} from "./fake-inference.ts"
export { pluginCall, pluginContract, type PluginContractOptions } from "./plugin-contract.ts"
export { backend, providerContract } from "./provider-contract.ts"
export { routeContract } from "./route-contract.ts"
export { selectorContract, type SelectorContractOptions } from "./selector-contract.ts"
export {
  chatRequest,
  readerOf,
  signalContract,
  type SignalContractOptions,
  signalInput,
  textTurn,
} from "./signal-contract.ts"
