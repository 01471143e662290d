// The built-in modules, loaded once.

import { createRegistry } from "../../ts/kernel/modules/registry.ts"
import { builtinModules } from "../../ts/plugins/registry.gen.ts"

export const registry = await createRegistry(builtinModules)
