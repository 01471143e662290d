import { defineRoute, textResponse } from "rtr"
import { routeContract } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { failuresOf } from "../fakes/contract.ts"

const operation = { method: "GET", path: "/v1/things/{id}", about: "Gives one thing" } as const
const handler = (): Response => textResponse("", 200, {})
const good = {
  about: "things",
  listeners: ["inference"],
  needs: ["status"],
  operations: [operation],
  setup: () => [handler],
}
const failures = (changes: object): Promise<readonly string[]> =>
  failuresOf(routeContract(defineRoute({ ...good, ...changes } as never)))

const says = "says what it does in one line"
const describes = "describes each of its operations"
const has = "has a handler for each operation"

test("a route that keeps the contract passes", async () => expect(await failures({})).toEqual([]))

describe("is broken by a route", () => {
  test.each<[string, object, readonly string[]]>([
    ["that is of another kind", { kind: "plugin" }, [says]],
    ["that does not say what it does", { about: " " }, [says]],
    ["that says it in two lines", { about: "a\nb" }, [says]],
    ["without an operation", { operations: [], setup: () => [] }, [describes]],
    ["without a listener", { listeners: [] }, [describes]],
    ["with a path that does not begin at the root", { operations: [{ ...operation, path: "v1" }] }, [describes]],
    ["with a query in its path", { operations: [{ ...operation, path: "/v1?x=1" }] }, [describes]],
    ["with an operation that does not say what it does", { operations: [{ ...operation, about: "" }] }, [describes]],
    ["with too few handlers", { setup: () => [] }, [has]],
    ["with too many handlers", { setup: () => [handler, handler] }, [has]],
    ["with a handler that is no function", { setup: () => [5] }, [has]],
    [
      "whose setup throws",
      {
        setup: () => {
          throw new Error("broken")
        },
      },
      [has],
    ],
  ])("%s", async (_, changes, failed) => expect(await failures(changes)).toEqual(failed))
})
