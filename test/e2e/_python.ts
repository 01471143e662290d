// Programs in Python with the clients of `python/requirements.txt`. They say what they saw in lines of JSON.

import { execFile, spawn } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { onTestFinished } from "vitest"

const run = promisify(execFile)
const folder = join(import.meta.dirname, "python")

export type PythonClients = { readonly bin: string } | { readonly missing: string }

/** The folder with the interpreter, which is made when it is not there, or why there is none. */
export async function pythonClients(): Promise<PythonClients> {
  try {
    const { stdout } = await run("bash", [join(folder, "install.sh")])
    return { bin: stdout.trim() }
  } catch (error) {
    const { message, stderr = "" } = error as Error & { readonly stderr?: string }
    const reason = stderr.trim().split("\n").at(-1) || message
    return { missing: `the Python clients cannot be installed (test/e2e/python/install.sh): ${reason}` }
  }
}

/** LiteLLM asks the network for prices when it is imported, unless told otherwise, and its objects make Pydantic warn. */
export const pythonEnvironment = { LITELLM_LOCAL_MODEL_COST_MAP: "True", PYTHONWARNINGS: "ignore" } as const

export interface Line {
  readonly [field: string]: unknown
}

export interface PythonRun {
  /** Lines so far. */
  readonly lines: readonly Line[]
  /** Resolves with the status of the program and what it wrote to stderr. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>
}

/** Runs a program of `python/` and does `act` for each of its lines. After a line with `wait` it goes on when that is done. */
export function runPython(
  bin: string,
  [program, ...args]: readonly [string, ...string[]],
  act: (line: Line) => Promise<void>,
): PythonRun {
  const child = spawn(join(bin, "python"), [join(folder, program), ...args], {
    env: { PATH: process.env["PATH"], ...pythonEnvironment },
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines: Line[] = []
  let stderr = ""
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()))
  createInterface(child.stdout).on("line", (text) => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    void act(line).then(
      () => line["wait"] !== undefined && child.stdin.write("\n"),
      () => child.kill(),
    )
  })
  child.stdin.on("error", () => {})
  return { lines, ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, stderr }))) }
}
