import { providerContract } from "rtr/testing"
import { test } from "vitest"
import bedrock from "../../../ts/plugins/providers/bedrock.ts"

for (const { name, run } of providerContract(bedrock)) test(name, run)
