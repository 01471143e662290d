// `routing.decisions[].plugins[]`: what runs around the model call of a decision.

import { Type, type TUnsafe } from "typebox"
import { type DocumentPath, moduleFault, RtrError } from "../../error.ts"
import { grantSetup } from "../../modules/capabilities.ts"
import { type Registry, signalConditionType } from "../../modules/registry.ts"
import { setUp } from "../../modules/set-up.ts"
import { formatPath, invalid, type Problem, reportInto } from "../../schema/problem.ts"
import { section, taggedUnion } from "../../schema/shapes.ts"
import type { RegisteredModule } from "../../types/module.ts"
import type { PlannedPlugin } from "../../types/plan.ts"
import { type PluginHook, pluginHooks, type PluginHooks, type PluginModule } from "../../types/plugin.ts"
import type { CompileContext } from "../compile.ts"
import { duplicates } from "../duplicates.ts"
import { type LaterProblems, moduleProblems } from "../module-problems.ts"
import { readByPlugin } from "../signal-use.ts"
import { compileReplySignals } from "./signals.ts"

export interface PluginEntry {
  readonly type: string
  readonly configuration: Readonly<Record<string, unknown>>
}

type RegisteredPlugin = RegisteredModule<PluginModule>

export function pluginSchema(registry: Registry): TUnsafe<PluginEntry> {
  const variants = registry
    .all("plugin")
    .map(({ id, module }) =>
      section({ type: Type.Literal(id), configuration: module.options }, { description: module.about }),
    )
  return taggedUnion<PluginEntry>("type", variants)
}

export function checkPlugins(
  plugins: readonly PluginEntry[],
  at: DocumentPath,
  registry: Registry,
  later: LaterProblems,
): readonly Problem[] {
  const problems: Problem[] = [
    ...duplicates(
      plugins.map(({ type }) => type),
      (position) => [...at, position, "type"],
    ),
  ]
  const signals = registry.all("signal").map(({ id, module }) => signalConditionType(id, module))
  plugins.forEach(({ type, configuration }, position) => {
    const registered = registry.find("plugin", type)
    // The schema has said that the configuration is missing.
    if (registered === undefined || configuration === undefined) return
    const { module } = registered
    // A guard must never pass a stream unseen.
    if (module.hooks.includes("after") && !module.hooks.includes("event") && module.stream !== "buffer")
      problems.push(
        invalid(
          [...at, position],
          `plugin "${type}" sees whole replies only (after), so that a stream would pass it unseen; the plugin must have event as well, or say stream: "buffer"`,
        ),
      )
    const unknown = readByPlugin({ type, configuration }, registry).filter((each) => !signals.includes(each))
    if (unknown.length > 0)
      reportInto(problems, at)(
        [position],
        `plugin "${type}" reads facts of ${unknown.join(", ")}, and no signal has that type; there are ${signals.join(", ")}`,
        "warning",
      )
    const configurationAt = [...at, position, "configuration"]
    problems.push(
      ...moduleProblems(registered, configurationAt, later, (report) => module.check?.(configuration as never, report)),
    )
  })
  return problems
}

/** Whether one of these plugins can answer without a model. */
export function answersItself(plugins: readonly PluginEntry[], registry: Registry): boolean {
  return plugins.some(({ type }) => registry.find("plugin", type)?.module.answers === true)
}

/** Plugins that can answer without a model. */
export function answeringPlugins(registry: Registry): readonly string[] {
  return registry.all("plugin").flatMap(({ id, module }) => (module.answers === true ? [id] : []))
}

/** Sets plugins up in their order: smaller `order` first, those of the same order as listed. */
export async function compilePlugins(
  {
    decision,
    plugins,
    path,
  }: { readonly decision: string; readonly plugins: readonly PluginEntry[]; readonly path: DocumentPath },
  context: CompileContext,
): Promise<readonly PlannedPlugin[]> {
  const listed = plugins.map(({ type, configuration }, position) => {
    const registered = context.registry.find("plugin", type)
    if (registered === undefined)
      throw new RtrError("invalid_config", `There is no plugin "${type}" (${formatPath([...path, position])})`)
    return { registered, configuration }
  })
  const orderOf = ({ registered }: { readonly registered: RegisteredPlugin }): number => registered.module.order ?? 100
  const planned: PlannedPlugin[] = []
  for (const { registered, configuration } of listed.toSorted((a, b) => orderOf(a) - orderOf(b)))
    planned.push(await compilePlugin(registered, { decision, configuration }, context))
  return planned
}

async function compilePlugin(
  registered: RegisteredPlugin,
  { decision, configuration }: { readonly decision: string; readonly configuration: object },
  context: CompileContext,
): Promise<PlannedPlugin> {
  const { services, closing } = context
  const { id, module } = registered
  const name = `plugin:${id}`
  const granted = grantSetup(module.needs ?? [], services, { name })
  const instance = await setUp({ kind: "plugin", id, source: registered.source }, () =>
    module.setup(configuration as never, { decision, ...granted } as never),
  )
  closing(name, instance)
  const judges = module.judges?.(configuration as never)
  const buffersStream = module.stream === "buffer"
  let checked = false
  return {
    type: id,
    readsEvents: buffersStream || module.hooks.includes("event") || module.hooks.includes("around"),
    buffersStream,
    answers: module.answers === true,
    ...(module.debugHeader !== undefined && { debugHeader: module.debugHeader }),
    ...(judges !== undefined && { judges: await compileReplySignals(judges, context) }),
    open: (call) => {
      const hooks = instance.open(call)
      if (!checked) checkOpened(hooks, registered)
      checked = true
      return hooks
    },
  }
}

function checkOpened(hooks: Partial<PluginHooks> | undefined, registered: RegisteredPlugin): void {
  if (typeof hooks !== "object" || hooks === null) throw broken(registered, "its open returned no hooks")
  const declared: readonly string[] = registered.module.hooks
  const undeclared = Object.keys(hooks).find((name) => !declared.includes(name))
  if (undeclared !== undefined) {
    // A name that a module made up may hold anything.
    const name = (pluginHooks as readonly string[]).includes(undeclared) ? undeclared : "something"
    throw broken(registered, `its open returned ${name}, which its hooks do not declare (${declared.join(", ")})`)
  }
  const missing = declared.find((name) => typeof hooks[name as PluginHook] !== "function")
  if (missing !== undefined) throw broken(registered, `it declares the hook ${missing}, and its open did not return it`)
}

const broken = ({ id, source }: RegisteredPlugin, reason: string): RtrError =>
  moduleFault(`Cannot use plugin "${id}" from ${source}: ${reason}`)
