import { providerContract } from "rtr/testing"
import { test } from "vitest"
import vertexAi from "../../../ts/plugins/providers/vertex-ai.ts"

for (const { name, run } of providerContract(vertexAi)) test(name, run)
