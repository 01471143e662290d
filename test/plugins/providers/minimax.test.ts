import { providerContract } from "rtr/testing"
import { test } from "vitest"
import minimax from "../../../ts/plugins/providers/minimax.ts"

for (const { name, run } of providerContract(minimax)) test(name, run)
