import { storeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import memory from "../../../ts/plugins/stores/memory.ts"

describe("contract", () => {
  for (const { name, run } of storeContract(memory)) test(name, run)
})
