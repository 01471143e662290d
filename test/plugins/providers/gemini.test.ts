import { providerContract } from "rtr/testing"
import { test } from "vitest"
import gemini from "../../../ts/plugins/providers/gemini.ts"

for (const { name, run } of providerContract(gemini)) test(name, run)
