import { dialectContract } from "rtr/testing"
import { describe, test } from "vitest"
import dialect from "../../../ts/plugins/dialects/messages.ts"

describe("contract", () => {
  for (const { name, run } of dialectContract(dialect, { tellsTime: false })) test(name, run)
})
