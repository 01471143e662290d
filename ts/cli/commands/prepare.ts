// rtrun prepare: fetches models ahead of a start, and loads each once as the start will.

import { availableParallelism } from "node:os"
import type { Command } from "commander"
import type { EngineModel, ProfileReport } from "rtr/node"
import { type EngineModelOptions, toEngineModel } from "../../models/engine-model.ts"
import { addAutotuneOptions, type AutotuneOptions, autotuneFolder } from "../models/autotune.ts"
import { findModels } from "../models/find-models.ts"
import { addEngineModelOptions, addModelOptions, type ModelSourceOptions } from "../models/options.ts"
import { printJson, printLine } from "../print.ts"

export function addPrepareCommand(program: Command): void {
  const prepare = program
    .command("prepare")
    .description("fetch models, check every file and load each once, so that serving needs no network and no waiting")
  addEngineModelOptions(addAutotuneOptions(addModelOptions(prepare)))
    .option("--json", "print JSON", false)
    .action((models: readonly string[], options: PrepareOptions) => prepareModels(models, options, prepare))
}

interface PrepareOptions extends ModelSourceOptions, AutotuneOptions, EngineModelOptions {
  readonly json: boolean
}

async function prepareModels(models: readonly string[], options: PrepareOptions, command: Command): Promise<void> {
  const { checkPackage } = await import("rtr/node")
  const prepared = []
  for (const model of await findModels(models, options, command)) {
    const { entry, found } = model
    const { digest, files, bytes } = await checkPackage(found.folder, found.recorded)
    const report = await loadOnce(toEngineModel(model, options), autotuneFolder(options, process.env))
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
      // Only of `max_speed` is there something to tell: the other profiles are served as asked, or refused.
      profile: report.asked === "max_speed" ? report : null,
    })
  }
  if (options.json) return printJson(prepared)
  for (const { model, folder, digest, profile } of prepared) {
    printLine(`${model}\n  folder  ${folder}\n  digest  ${digest}`)
    if (profile !== null) printLine(`  profile ${describe(profile)}`)
  }
}

/**
 * Opens the engine that `serve` would, alone with this model, and closes it: what comparing profiles found is kept.
 * Rejects with the reason that `serve` would give.
 */
async function loadOnce(model: EngineModel, verdicts: string): Promise<ProfileReport> {
  const [{ openEngine }, { RtrError }] = await Promise.all([import("rtr/node"), import("rtr")])
  // The reason is told by the command; the engine's own warning would say it twice.
  const logLevel = "error"
  const engine = await openEngine({
    models: [model],
    verdicts,
    logLevel,
    loadAttempts: 1,
    threads: availableParallelism(),
  })
  try {
    const [state] = await engine.ready()
    if (state?.status !== "ready") throw new RtrError("invalid_package", state?.reason ?? "The model did not load")
    const [card] = (await engine.describe()).models
    return card?.["profile_report"] as ProfileReport
  } finally {
    await engine.close()
  }
}

function describe({ asked, served, precision, probes, reason }: ProfileReport): string {
  if (asked === served) return `${served}: ${precision}, compared on ${probes} texts`
  return `${served} in place of ${asked}: ${reason}`
}
