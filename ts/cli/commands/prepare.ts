// rtrun prepare: fetches and checks models ahead of a start.

import type { Command } from "commander"
import { findModels } from "../models/find-models.ts"
import { addModelOptions, type ModelSourceOptions } from "../models/options.ts"
import { printJson, printLine } from "../print.ts"

export function addPrepareCommand(program: Command): void {
  const prepare = addModelOptions(
    program.command("prepare").description("fetch models and check every file, so that serving them needs no network"),
  ).option("--json", "print JSON", false)
  prepare.action((models: readonly string[], options: PrepareOptions) => prepareModels(models, options, prepare))
}

interface PrepareOptions extends ModelSourceOptions {
  readonly json: boolean
}

async function prepareModels(models: readonly string[], options: PrepareOptions, command: Command): Promise<void> {
  const { checkPackage } = await import("rtr/node")
  const prepared = []
  for (const { entry, found } of await findModels(models, options, command)) {
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
    })
  }
  if (options.json) return printJson(prepared)
  for (const { model, folder, digest } of prepared) printLine(`${model}\n  folder  ${folder}\n  digest  ${digest}`)
}
