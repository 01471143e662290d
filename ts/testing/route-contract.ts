// What every route group must do.

import type { RouteModule, RoutePowers } from "../kernel/index.ts"
import { type ContractCase, contractCase, expectThat } from "./case.ts"

export function routeContract<Need extends keyof RoutePowers>(module: RouteModule<Need>): readonly ContractCase[] {
  return [
    contractCase("says what it does in one line", () => {
      expectThat(module.kind === "route", "a module made by defineRoute")
      expectThat(module.about.trim() !== "" && !module.about.includes("\n"), "about to be one line")
    }),
    contractCase("describes each of its operations", () => {
      expectThat(
        module.operations.length > 0 && module.listeners.length > 0,
        "at least one operation on at least one listener",
      )
      for (const { method, path, about } of module.operations) {
        expectThat(/^\/[\w./{}:-]*$/.test(path), `a path, got ${path}`)
        expectThat(about.trim() !== "", `${method} ${path} to say what it does`)
      }
    }),
    contractCase("has a handler for each operation", () => {
      const unused = new Proxy({}, { get: () => () => undefined })
      const handlers = module.setup(unused as never)
      expectThat(
        handlers.length === module.operations.length,
        `${module.operations.length} handlers, got ${handlers.length}`,
      )
      for (const handler of handlers) expectThat(typeof handler === "function", "handlers to be functions")
    }),
  ]
}
