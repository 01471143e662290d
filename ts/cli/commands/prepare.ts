// rtrun prepare: fetches and checks models ahead of a start.

import type { Command } from "commander"
import type { ProfileReport } from "rtr/node"
import { addAutotuneOptions, type AutotuneOptions, autotuneFolder } from "../models/autotune.ts"
import { type FoundModel, findModels } from "../models/find-models.ts"
import { addModelOptions, type ModelSourceOptions } from "../models/options.ts"
import { printJson, printLine } from "../print.ts"

export function addPrepareCommand(program: Command): void {
  const prepare = program
    .command("prepare")
    .description("fetch models, check every file and compare profiles, so that serving needs no network and no waiting")
  addAutotuneOptions(addModelOptions(prepare))
    .option("--json", "print JSON", false)
    .action((models: readonly string[], options: PrepareOptions) => prepareModels(models, options, prepare))
}

interface PrepareOptions extends ModelSourceOptions, AutotuneOptions {
  readonly json: boolean
}

async function prepareModels(models: readonly string[], options: PrepareOptions, command: Command): Promise<void> {
  const { checkPackage } = await import("rtr/node")
  const prepared = []
  for (const model of await findModels(models, options, command)) {
    const { entry, found } = model
    const { digest, files, bytes } = await checkPackage(found.folder, found.recorded)
    prepared.push({
      model: entry.model,
      folder: found.folder,
      repository: found.repository ?? null,
      commit: found.commit ?? null,
      licence: found.licence ?? null,
      base_path: found.basePath ?? null,
      digest: `sha256:${digest}`,
      files,
      bytes,
      profile: await compareProfile(model, options),
    })
  }
  if (options.json) return printJson(prepared)
  for (const { model, folder, digest, profile } of prepared) {
    printLine(`${model}\n  folder  ${folder}\n  digest  ${digest}`)
    if (profile !== null) printLine(`  profile ${describe(profile)}`)
  }
}

/** Only `max_speed` has to be compared; the other profiles are as fast at the first load as at any other. */
async function compareProfile({ entry, found }: FoundModel, options: PrepareOptions): Promise<ProfileReport | null> {
  const profile = entry.profile ?? options.profile
  if (profile !== "max_speed") return null
  const { prepareProfile } = await import("rtr/node")
  return prepareProfile({
    model: {
      name: entry.name ?? found.name,
      path: found.folder,
      device: entry.device ?? "auto",
      profile,
      ...(entry.family !== undefined && { family: entry.family }),
      ...(found.basePath !== undefined && { basePath: found.basePath }),
    },
    verdicts: autotuneFolder(options, process.env),
  })
}

function describe({ asked, served, precision, probes, reason }: ProfileReport): string {
  if (asked === served) return `${served}: ${precision}, compared on ${probes} texts`
  return `${served} in place of ${asked}: ${reason}`
}
