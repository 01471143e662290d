import { describe, expect, test } from "vitest"
import { checkReach } from "../../../../ts/kernel/config/sections/management-reach.ts"
import type { ConfigDocument } from "../../../../ts/kernel/config/document-schema.ts"

const check = (management: object, environment = {}) =>
  checkReach({ version: "v0.3", global: { services: { management_api: management } } } as ConfigDocument, environment)

describe("an address that other machines reach", () => {
  test.each(["0.0.0.0", "::", "10.0.0.7", "fd00::7"])("%s needs auth, or that it is said", (address) => {
    const on = { bind_address: address }
    const [problem, ...others] = check(on)
    expect(others).toEqual([])
    expect(problem).toEqual({
      path: ["global", "services", "management_api", "bind_address"],
      code: "invalid",
      message: `lets other machines change the router, got "${address}"; set auth.mode: bearer, or allow it with remote_exposure: true or the environment variable RTR_MANAGEMENT_INTERNAL_LISTENER=true`,
    })
    expect(check({ ...on, auth: { mode: "disabled" } })).toEqual([problem])
    expect(check({ ...on, auth: { mode: "bearer", tokens: [] } })).toEqual([])
    expect(check({ ...on, remote_exposure: true })).toEqual([
      {
        ...problem,
        message: `lets everybody who reaches ${address} change the router; set auth.mode: bearer`,
        severity: "warning",
      },
    ])
  })

  test("is allowed by the environment where its network is the operator's own", () => {
    const on = { bind_address: "0.0.0.0" }
    expect(check(on, { RTR_MANAGEMENT_INTERNAL_LISTENER: "true" })).toEqual([])
    expect(check(on, { RTR_MANAGEMENT_INTERNAL_LISTENER: "false" })).toHaveLength(1)
  })

  test.each([{}, ...["127.0.0.1", "127.0.0.9", "localhost", "::1"].map((address) => ({ bind_address: address }))])(
    "%j is none",
    (management) => expect(check(management)).toEqual([]),
  )
})
