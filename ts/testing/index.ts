// The entry `rtr/testing`: contract suites and fakes for authors of modules.

export { sampleCandidates } from "./algorithm-cases.ts"
export { awkwardTexts, type ContractCase, deepFreeze } from "./case.ts"
export { chatRequest, textTurn } from "./chat.ts"
export { dialectContract, type DialectContractOptions } from "./dialect-contract.ts"
export type { BackendContractOptions, RecordedReply } from "./dialect-backend-cases.ts"
export {
  createFakeInference,
  createFakeQuestions,
  type FakeInference,
  type FakeInferenceOptions,
} from "./fake-inference.ts"
export { createFakeStores, type FakeStores } from "./fake-store.ts"
export {
  type Asked,
  type FakeCandidate,
  looperCall,
  looperContract,
  type LooperContractOptions,
  looperOf,
  modelReply,
  wholeReply,
} from "./looper-contract.ts"
export { pluginCall, pluginContract, type PluginContractOptions } from "./plugin-contract.ts"
export { backend, providerContract, type ProviderContractOptions } from "./provider-contract.ts"
export { routeContract } from "./route-contract.ts"
export { selectorContract, type SelectorContractOptions, selectorReaderOf } from "./selector-contract.ts"
export { readerOf, signalContract, type SignalContractOptions, signalInput } from "./signal-contract.ts"
export { storeContract, type StoreContractOptions } from "./store-contract.ts"
