import { routeContract } from "rtr/testing"
import { describe, test } from "vitest"
import route from "../../../ts/plugins/routes/messages.ts"

describe("contract", () => {
  for (const { name, run } of routeContract(route)) test(name, run)
})
