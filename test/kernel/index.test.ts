import * as node from "rtr/node"
import * as testing from "rtr/testing"
import * as rtr from "rtr"
import { expect, test } from "vitest"

// What others build on. A name that goes or comes is a change of the public contract, so it has to change here too.
test.each([
  [
    "rtr",
    rtr,
    "ConfigError RtrError Type chatCompletions closest createKernel definePlugin defineProvider defineRoute defineSelector defineSignal defineStore errorBody errorCodes formatProblem hostApiVersion isRtrError jsonResponse predicateHolds predicateProblem readBody reasonOf routingHeaders routingMetadata saysAnything suggestion textOf textResponse toPublicError withPlainSigns",
  ],
  [
    "rtr/node",
    node,
    "buildFeatures builtinPackageNames checkPackage createNativeInference createPrometheusMetrics createRemoteInference createNodeTransport createWorkerPool deploymentsOf documentSchema findBuiltinPackage findPackage headProblem listDevices loadConfig loadRegistry openEngine readBuiltinModels startRouter toNodeListener",
  ],
  [
    "rtr/testing",
    testing,
    "awkwardTexts backend createFakeAsk createFakeInference deepFreeze pluginCall pluginContract providerContract readerOf routeContract selectorContract signalContract signalInput storeContract",
  ],
])("%s exports what it promises", (_, exported, names) => {
  expect(Object.keys(exported).toSorted().join(" ")).toBe(names)
})
