// What the router says to one document: its own loader, then its own activation with a backend and local models that are fakes.

import { ConfigError } from "../../ts/kernel/config/config-error.ts"
import { loadDocument } from "../../ts/kernel/generations/prepare.ts"
import { createRouter } from "../../ts/kernel/kernel.ts"
import { sha256 } from "../../ts/kernel/runtime/bare-kernel.ts"
import { readDocumentFile } from "../../ts/kernel/runtime/document-files.ts"
import { loadBuiltins, loadRegistryFor } from "../../ts/kernel/runtime/node-modules.ts"
import type { Registry } from "../../ts/kernel/modules/registry.ts"
import { formatPath, type Problem } from "../../ts/kernel/schema/problem.ts"
import { readHeads } from "../../ts/models/packages/read-heads.ts"
import { createFakeInference } from "../../ts/testing/fake-inference.ts"
import { createAnsweringTransport } from "./backend.ts"
import type { CorpusDocument } from "./corpus.ts"

export interface Judgement {
  /** As `rtr config validate` judges. */
  readonly valid: boolean
  /** It is valid, and served only with `--allow-missing-plugins`. */
  readonly needsMissingParts: boolean
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** What a start and one question gave; undefined where none was tried. */
  readonly started: Started | undefined
}

export interface Started {
  readonly ok: boolean
  /** The status of the answer, or why there is none. */
  readonly outcome: string
}

export async function judge(document: CorpusDocument, start: boolean): Promise<Judgement> {
  const environment = dummyEnvironment(document.text)
  const { text, file: source } = document
  try {
    const loaded = await loadDocument(
      {
        environment: () => environment,
        loadRegistry: loadRegistryFor,
        readHeads,
        readFile: readDocumentFile,
        missingParts: "tell",
      },
      { text, source },
    )
    return {
      valid: true,
      needsMissingParts: loaded.warnings.some(({ message }) => message.includes("--allow-missing-plugins")),
      problems: [],
      warnings: loaded.warnings.map(describe),
      started: start ? await startAndAsk(document, environment) : undefined,
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return {
      valid: false,
      needsMissingParts: false,
      problems: error.problems.map(describe),
      warnings: [],
      started: start ? { ok: false, outcome: "refused" } : undefined,
    }
  }
}

function describe({ path, message }: Problem): string {
  return `${formatPath(path)}: ${message}`
}

/**
 * A value for every variable that a document may read, so that none is missing. What it is called decides its shape: nothing is
 * ever sent with it.
 */
function dummyEnvironment(text: string): Record<string, string> {
  const names = [
    ...[...text.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ""),
    ...[...text.matchAll(/env["']?:\s*["']?([A-Za-z_]\w*)/g)].map(([, name]) => name ?? ""),
  ]
  return Object.fromEntries(names.map((name) => [name, dummyFor(name)]))
}

function dummyFor(name: string): string {
  if (/PORT/.test(name)) return "8000"
  if (/URL|ENDPOINT|BASE/.test(name)) return "http://127.0.0.1:1"
  return /HOST|ADDRESS/.test(name) ? "127.0.0.1" : "dummy"
}

let builtins: Promise<Registry> | undefined

async function startAndAsk(
  { text, file }: CorpusDocument,
  environment: Readonly<Record<string, string>>,
): Promise<Started> {
  builtins ??= loadBuiltins()
  const router = createRouter({
    builtins: await builtins,
    loadRegistry: loadRegistryFor,
    transport: createAnsweringTransport(),
    environment: () => environment,
    hash: sha256,
    readHeads,
    readFile: readDocumentFile,
    missingParts: "allow",
    inference: createFakeInference({ labels: ["safe", "unsafe"] }),
  })
  try {
    const outcome = await router.activate({ text, source: file, trigger: "start" })
    if (outcome.result === "rejected")
      return { ok: false, outcome: outcome.error instanceof Error ? outcome.error.message : "rejected" }
    router.setPhase("ready")
    const response = await router.inference.fetch(question(text))
    const { status } = response
    const reply = await response.text()
    // A refusal that the document asks for is an answer; a fault of the router is none.
    return { ok: status < 500, outcome: status === 200 ? "200" : `${status} ${reply.slice(0, 160)}` }
  } catch (error) {
    return { ok: false, outcome: error instanceof Error ? error.message : String(error) }
  } finally {
    await router.close()
  }
}

function question(text: string): Request {
  const key = /api_keys:\s*\[?\s*-?\s*["']?([\w-]+)/.exec(text)?.[1] ?? "dummy"
  return new Request("http://localhost/v1/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      "x-authz-user-id": "user",
      "x-authz-user-groups": "users",
    },
    body: JSON.stringify({ model: "auto", messages: [{ role: "user", content: "What is 2 + 2?" }] }),
  })
}
