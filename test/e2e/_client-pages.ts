// Executes the code of a page of docs/clients and compares what it prints with what the page promises.
//
// To add a page: write docs/clients/NAME.md, and a row for it in docs/clients/README.md. `client-pages.test.ts` finds it.
// - The blocks of one language are one program, in the order of the page: what one block defines, later blocks may use. `js` and `ts` run
//   as a module in the repository, so that bare imports find its packages; `sh` by bash and `python` by the given interpreter, both in a
//   folder of the page that is HOME, too.
// - The block ```text that follows a block is what that block prints, all of it; without one it prints nothing. "…" stands for
//   any part of a line, such as an id.
// - A block ```LANGUAGE file=NAME is written to this file in the folder before anything runs: a configuration. `~/` may stand before it.
// - <!-- not run: WHY --> in the line before a block leaves it out. Write commands that install something into a sentence instead.
// - The address 127.0.0.1:8801 stands for the router, which serves the document of docs/clients/README.md before the scripted model of
//   `_scripted-model.ts`. Models are asked "Is 91 prime?", tools and schemas have a `city`.

import { spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

export interface PageBlock {
  readonly language: string
  readonly code: string
  readonly line: number
  /** Where it is written instead of run. */
  readonly file: string | undefined
  /** What it prints. */
  readonly promised: string
}

export interface PageRun {
  /** Host and port of the router. */
  readonly address: string
  /** The command of an interpreter by its language, with the arguments before a program's file. */
  readonly interpreters?: Readonly<Record<string, readonly string[]>>
  readonly environment?: NodeJS.ProcessEnv
}

const root = join(import.meta.dirname, "../..")

/** The languages that can run, how a program of them prints a line on its own, and how it is started. */
const languages: Readonly<Record<string, { mark(text: string): string; readonly command?: readonly string[] }>> = {
  js: {
    mark: (text) => `console.log(${JSON.stringify(`\n${text}`)});`,
    command: [process.execPath, "--input-type=module"],
  },
  ts: {
    mark: (text) => `console.log(${JSON.stringify(`\n${text}`)});`,
    command: [process.execPath, "--input-type=module-typescript", "--disable-warning=ExperimentalWarning"],
  },
  sh: { mark: (text) => `printf '\\n%s\\n' '${text}'`, command: ["bash", "-eu"] },
  python: { mark: (text) => `print(${JSON.stringify(`\n${text}`)}, flush=True)` },
}

/** The blocks of a page that run or that are written to files. */
export function readBlocks(page: string): readonly PageBlock[] {
  const found = [...page.matchAll(/^(<!-- not run: .+ -->\n)?```(\w+)(?: file=(\S+))?\n(.*?)^```$/gms)]
  return found.flatMap(([, isLeftOut, language = "", file, code = ""], index): readonly PageBlock[] => {
    if (isLeftOut !== undefined || (file === undefined && languages[language] === undefined)) return []
    const next = found[index + 1]
    const line = page.slice(0, found[index]?.index).split("\n").length
    return [{ language, code, line, file, promised: next?.[2] === "text" ? (next[4] ?? "") : "" }]
  })
}

/** The languages whose interpreter a run does not have. */
export function missingLanguages(blocks: readonly PageBlock[], { interpreters = {} }: PageRun): readonly string[] {
  const used = new Set(blocks.filter(({ file }) => file === undefined).map(({ language }) => language))
  return [...used].filter((each) => languages[each]?.command === undefined && interpreters[each] === undefined)
}

/** What is wrong with a page: each block that does not run to its end or that prints something else. */
export async function checkPage(blocks: readonly PageBlock[], run: PageRun): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-page-"))
  try {
    const placed = blocks.map((block) => ({ ...block, code: block.code.replaceAll("127.0.0.1:8801", run.address) }))
    for (const { file, code } of placed) if (file !== undefined) writeInto(folder, file, code)
    const running = Map.groupBy(
      placed.filter(({ file }) => file === undefined),
      ({ language }) => language,
    )
    if (running.size === 0) return ["no block of the page runs"]
    const problems: string[] = []
    for (const [language, program] of running) problems.push(...(await checkProgram(language, program, folder, run)))
    return problems
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function writeInto(folder: string, file: string, code: string): void {
  const path = join(folder, file.replace(/^~\//, ""))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
}

/** A line between the outputs of two blocks; a new line begins before it. */
const markOf = (block: PageBlock): string => `-- the block of line ${block.line} --`

async function checkProgram(
  language: string,
  blocks: readonly PageBlock[],
  folder: string,
  { interpreters = {}, environment = {} }: PageRun,
): Promise<readonly string[]> {
  const { mark, command = interpreters[language] } = languages[language] ?? { mark: String }
  if (command === undefined) throw new Error(`There is no interpreter for ${language}`)
  const code = blocks.map((block) => `${mark(markOf(block))}\n${block.code}`).join("\n")
  const isModule = command[0] === process.execPath
  const { output, complaint } = await runProgram(command, code, {
    cwd: isModule ? root : folder,
    env: { ...process.env, HOME: folder, NO_COLOR: "1", ...environment },
  })
  const printed = new Map<string, string>()
  for (const part of output.split(/^(?=-- the block of line \d+ --$)/m)) {
    const end = part.indexOf("\n")
    printed.set(part.slice(0, end), part.slice(end + 1))
  }
  // The last block that began is the one that failed.
  const reached = blocks.filter((block) => printed.has(markOf(block)))
  if (complaint !== undefined)
    return [`the ${language} of line ${(reached.at(-1) ?? blocks[0])?.line} failed: ${complaint}\n${output}`]
  return blocks.flatMap((block) => {
    const got = (printed.get(markOf(block)) ?? "").trim()
    if (toPattern(block.promised).test(got)) return []
    return [`the ${language} of line ${block.line} prints\n${got}\ninstead of\n${block.promised.trim()}`]
  })
}

/** A text in which "…" stands for any part of a line. */
const toPattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .trim()
      .replaceAll(/[^\w\s…]/g, "\\$&")
      .replaceAll("…", ".*")}$`,
  )

interface Finished {
  readonly output: string
  readonly complaint: string | undefined
}

/** The program is read from the standard input. Carriage returns, such as those behind headers, are no part of its output. */
function runProgram(
  [name = "", ...args]: readonly string[],
  code: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(name, args, { ...options, stdio: "pipe", timeout: 60_000, killSignal: "SIGKILL" })
    let [output, errors] = ["", ""]
    child.stdout.on("data", (piece: Buffer) => (output += piece.toString().replaceAll("\r", "")))
    child.stderr.on("data", (piece: Buffer) => (errors += piece.toString()))
    child.stdin.on("error", () => {})
    child.stdin.end(code)
    child.once("error", (error) => resolve({ output, complaint: String(error) }))
    child.once("close", (status, signal) =>
      resolve({ output, complaint: status === 0 ? undefined : `${signal ?? status}\n${errors}` }),
    )
  })
}
