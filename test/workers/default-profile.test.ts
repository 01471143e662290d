import { expect, test } from "vitest"
import { withProfile } from "../../ts/workers/default-profile.ts"

const profileOf = (deployment: object, asked?: "exact" | "max_speed") =>
  withProfile({ name: "m", ...deployment }, asked).profile

test("a deployment has the profile that it names, that of all, or that of its package, in this order", () => {
  expect(
    [{ artifact: "signals" }, { artifact: "guard" }, { artifact: "decide" }, { artifact: "/models/signals" }].map(
      (each) => [profileOf(each), profileOf(each, "exact"), profileOf(each, "max_speed")],
    ),
  ).toEqual([
    ["max_speed", "exact", "max_speed"],
    ["max_speed", "exact", "max_speed"],
    ["exact", "exact", "max_speed"],
    ["exact", "exact", "max_speed"],
  ])
  expect(profileOf({ artifact: "signals", profile: "batching" }, "max_speed")).toBe("batching")
})

test("a worker that somebody else runs has its own", () => {
  expect(profileOf({ endpoint: "http://localhost:1" }, "max_speed")).toBeUndefined()
})
