// rtrun plugins: what this build can do.

import type { Command } from "commander"
import { printJson, printLine, table } from "../print.ts"

export function addPluginsCommand(program: Command): void {
  program
    .command("plugins")
    .description("list the families, engines, accelerators and profiles of this build")
    .option("--json", "print JSON", false)
    .action(listPlugins)
}

async function listPlugins(options: { json: boolean }): Promise<void> {
  const { buildFeatures, listDevices } = await import("rtr/node")
  const devices = await listDevices()
  const accelerators = [...new Set(devices.filter(({ available }) => available).map(({ kind }) => kind))]
  const { families, engines, profiles } = buildFeatures
  const groups = { families, engines, accelerators, profiles }
  if (options.json) return printJson(groups)
  printLine(
    table(
      ["Group", "Name"],
      Object.entries(groups).flatMap(([group, names]) => names.map((name) => [group, name])),
    ),
  )
}
