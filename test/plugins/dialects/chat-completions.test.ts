import { dialectContract } from "rtr/testing"
import { describe, test } from "vitest"
import dialect from "../../../ts/plugins/dialects/chat-completions.ts"

describe("contract", () => {
  for (const { name, run } of dialectContract(dialect)) test(name, run)
})
