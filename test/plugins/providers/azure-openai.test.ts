import { providerContract } from "rtr/testing"
import { test } from "vitest"
import azureOpenai from "../../../ts/plugins/providers/azure-openai.ts"

for (const { name, run } of providerContract(azureOpenai)) test(name, run)
