import { expect, test } from "vitest"
import { boundBy } from "../../../ts/kernel/generations/bound.ts"
import { restartRequired } from "../../../ts/kernel/generations/restart.ts"
import { formatPath } from "../../../ts/kernel/schema/problem.ts"
import { canonical } from "../../fakes/document.ts"

type Changes = Readonly<Record<string, unknown>>
const main = { name: "main", address: "127.0.0.1", port: 8801 }
const second = { name: "second", address: "127.0.0.1", port: 8802 }
const services = "global.services"

const problemsOf = (before: Changes, after: Changes): readonly string[] =>
  restartRequired(boundBy(canonical(before)), boundBy(canonical(after))).map(({ path, message, code }) => {
    expect(code).toBe("restart_required")
    return `${formatPath(path)}: ${message}`
  })
const changed = "has changed, which needs a restart"

test.each<[string, Changes, Changes, readonly string[]]>([
  ["nothing", {}, {}, []],
  ["keys and grants", {}, { listeners: [{ ...main, api_keys: ["k"], models: ["MoM"] }] }, []],
  [
    "another way to say the same",
    {},
    { listeners: [{ ...main, timeout: "5m" }], [`${services}.management_api`]: { port: 8080 } },
    [],
  ],
  ["rules and models", {}, { "routing.decisions": [], "providers.defaults": undefined }, []],
  ["the order of listeners", { listeners: [main, second] }, { listeners: [second, main] }, []],
  ["a new listener", {}, { listeners: [main, second] }, ['listeners: adds "second", which needs a restart']],
  ["a listener less", { listeners: [main, second] }, {}, ['listeners: removes "second", which needs a restart']],
  [
    "another name",
    {},
    { listeners: [{ ...main, name: "other" }] },
    ['listeners: adds "other" and removes "main", which needs a restart'],
  ],
  [
    "a listener's socket and time-out",
    { listeners: [second, main] },
    { listeners: [{ ...main, address: "::1", port: 1, timeout: "1s" }, second] },
    [`listeners[0].address: ${changed}`, `listeners[0].port: ${changed}`, `listeners[0].timeout: ${changed}`],
  ],
  [
    "the default listener, declared as it is",
    { listeners: undefined },
    { listeners: [{ ...main, name: "http-8801" }] },
    [],
  ],
  [
    "the management listener",
    {},
    { [`${services}.management_api`]: { bind_address: "::1", port: 9 } },
    [`${services}.management_api.bind_address: ${changed}`, `${services}.management_api.port: ${changed}`],
  ],
  [
    "metrics",
    { [`${services}.observability.metrics.enabled`]: true },
    { [`${services}.observability.metrics.enabled`]: false },
    [`${services}.observability.metrics.enabled: ${changed}`],
  ],
  ["the management API's tokens", {}, { [`${services}.management_api.auth.mode`]: "disabled" }, []],
])("%s", (_, before, after, problems) => expect(problemsOf(before, after)).toEqual(problems))
