// Model packages that the bench makes: written once into the cache folder, from the embedded package.

import { createHash } from "node:crypto"
import { cpSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { say } from "../../_shared/progress.ts"
import { packageFolder } from "../worker.ts"
import { readTensors, type Tensors, writeTensors } from "./safetensors.ts"

/** Raised when what the functions in this folder write changes. */
const version = 1

/** Width of the embedded package's vectors. */
export const width = 384

/** Returns the folder of a package, and lets `write` fill it when it is not there yet. */
export function makePackage(cache: string, name: string, write: (folder: string) => void): string {
  const folder = join(cache, "packages", name)
  const stamp = join(cache, "packages", `${name}.made`)
  const source = createHash("sha256")
    .update(readFileSync(join(packageFolder, "manifest.json")))
    .digest("hex")
  const wanted = `${version} ${source}`
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return folder
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  say(`Making the package ${folder} (once)`)
  write(folder)
  writeFileSync(stamp, wanted)
  return folder
}

/**
 * The embedded package in 32 bits, as sentence-transformers would have saved it: every runtime reads the numbers that
 * the worker has after loading.
 */
export function plainPackage(cache: string): string {
  return makePackage(cache, "plain", (folder) => {
    for (const file of ["config.json", "tokenizer.json", "modules.json", "sentence_bert_config.json", "1_Pooling"])
      cpSync(join(packageFolder, file), join(folder, file), { recursive: true })
    const { max_seq_length: longest } = readJson(join(packageFolder, "sentence_bert_config.json")) as {
      max_seq_length: number
    }
    writeJson(join(folder, "tokenizer_config.json"), {
      tokenizer_class: "BertTokenizer",
      do_lower_case: true,
      model_max_length: longest,
    })
    writeTensors(join(folder, "model.safetensors"), readTensors(join(packageFolder, "model.safetensors")))
  })
}

export interface Heads {
  /** Contents of rtrun.json, without the schema number. */
  readonly settings: object
  /** File of the heads, and what it holds. */
  readonly file: string
  readonly tensors: Tensors
}

/** A package with heads of its own over the encoder of the plain one. */
export function headedPackage(cache: string, name: string, makeHeads: () => Heads): string {
  const plain = plainPackage(cache)
  return makePackage(cache, name, (folder) => {
    const { settings, file, tensors } = makeHeads()
    for (const shared of ["config.json", "tokenizer.json", "model.safetensors"])
      linkSync(join(plain, shared), join(folder, shared))
    writeTensors(join(folder, file), tensors)
    writeJson(join(folder, "rtrun.json"), { schema: 1, ...settings })
  })
}

export function writeJson(path: string, value: object): void {
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`)
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8")) as unknown
}
