import { providerContract } from "rtr/testing"
import { test } from "vitest"
import openai from "../../../ts/plugins/providers/openai.ts"

for (const { name, run } of providerContract(openai)) test(name, run)
