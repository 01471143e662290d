// The entry `rtr/testing`: contract suites and fakes for authors of modules.

export { awkwardTexts, type ContractCase, deepFreeze } from "./case.ts"
export { createFakeAsk, createFakeInference, type FakeInference, type FakeInferenceOptions } from "./fake-inference.ts"
export { dialectContract, type DialectContractOptions } from "./dialect-contract.ts"
export { chatRequest, pluginCall, pluginContract, type PluginContractOptions } from "./plugin-contract.ts"
export { backend, providerContract } from "./provider-contract.ts"
export { routeContract } from "./route-contract.ts"
export { selectorContract, type SelectorContractOptions } from "./selector-contract.ts"
export { storeContract, type StoreContractOptions } from "./store-contract.ts"
export { readerOf, signalContract, type SignalContractOptions, signalInput } from "./signal-contract.ts"
