import { providerContract } from "rtr/testing"
import { test } from "vitest"
import vllm from "../../../ts/plugins/providers/vllm.ts"

for (const { name, run } of providerContract(vllm)) test(name, run)
