// The configuration file as management operations change it: checked, activated, then written.

import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { ConfigError } from "../../config/config-error.ts"
import { readInTurns } from "../../config/document.ts"
import type { Environment } from "../../config/environment.ts"
import { editText } from "../../config/edit/edit-text.ts"
import { redactSecrets } from "../../config/secrets.ts"
import { isRtrError } from "../../error.ts"
import type { ActivationOutcome } from "../../generations/activation.ts"
import type { DocumentInput, LoadedDocument } from "../../generations/prepare.ts"
import { ManagementError } from "../../http/management-error.ts"
import type { Router } from "../../kernel.ts"
import type { ChangedDocument, DocumentChange, KeptDocument, Log, ReadDocument } from "../../types/capability.ts"
import { sha256 } from "../bare-kernel.ts"
import { readDocumentFile } from "../document-files.ts"
import { readConfigFile } from "../load-config.ts"
import { refuseReferences, withoutValues } from "./references.ts"
import { stageFile, type StagedFile } from "./stage-file.ts"

export interface KeptDocumentOptions {
  readonly path: string
  /** What a text of the document is activated as. */
  readonly toInput: (text: string) => Promise<DocumentInput>
  readonly environment: () => Environment
  readonly router: () => Pick<Router, "load" | "activate" | "status">
  readonly log?: Log | undefined
}

export function createKeptDocument({
  path,
  toInput,
  environment,
  router,
  log = () => {},
}: KeptDocumentOptions): KeptDocument {
  const folder = dirname(resolve(path))
  /** Changes are made one at a time: the second would be made of a document that does not serve yet. */
  let changing = false

  const load = async (input: DocumentInput): Promise<LoadedDocument> => {
    try {
      return await router().load(input)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const shown = await withoutValues(error, input, environment(), (masked) => router().load(masked))
      throw new ManagementError(400, "CONFIG_VALIDATION_ERROR", shown.message)
    }
  }

  const change = async ({ values, files = {}, ifMatch, client }: DocumentChange): Promise<ChangedDocument> => {
    refuseReferences(client)
    const before = readConfigFile(path)
    if (ifMatch !== undefined) await expectTag(ifMatch.header, before)
    const text = await edited(before, values)
    const added: string[] = []
    try {
      for (const [name, content] of Object.entries(files)) {
        const place = join(folder, name)
        if (existsSync(place)) continue
        await (await stageFile(place, content)).commit()
        added.push(place)
      }
      const input = await toInput(text)
      const loaded = await load(input)
      const document = await stageFile(path, text)
      const outcome = router().activate({ ...input, trigger: "api", loaded })
      const settled = keep(outcome, document, before).finally(() => (changing = false))
      const [hash, tag] = [await sha256(input.text), await tagOf(text)]
      const { activeHash } = router().status().activation
      return { hash, etag: tag, status: activeHash === hash ? "active" : "pending", settled }
    } catch (error) {
      await Promise.all(added.map((place) => rm(place, { force: true })))
      throw error
    }
  }

  /** The file is that of a document that serves, so that the router can start again with it. */
  const keep = async (
    outcome: Promise<ActivationOutcome>,
    staged: StagedFile,
    before: string,
  ): Promise<"active" | "failed"> => {
    let reason: string
    try {
      const { result } = await outcome
      if (result === "active" || result === "unchanged") {
        if (readConfigFile(path) === before) {
          await staged.commit()
          return "active"
        }
        reason = "somebody else has changed the file"
      } else reason = `the document was ${result}`
    } catch (error) {
      reason = isRtrError(error) ? error.message : "the file cannot be written"
    }
    await staged.discard()
    log("warning", "config_change_not_kept", { file: path, reason })
    return "failed"
  }

  return {
    async read() {
      const text = readConfigFile(path)
      const value = ((await readInTurns(text, path)).value ?? {}) as ReadDocument["value"]
      return { value, redacted: redactSecrets(value), etag: await tagOf(text) }
    },
    readFile: (name) => readDocumentFile(name, path),
    check: async ({ values, client }) => {
      refuseReferences(client)
      const text = await edited(readConfigFile(path), values)
      await load(await toInput(text))
    },
    async change(wanted) {
      if (changing || router().status().activation.state === "pending")
        throw new ManagementError(
          409,
          "CONFIG_ACTIVATION_PENDING",
          "Cannot change the document while another change is being activated; read /api/v1/config/hash until it is active or failed",
        )
      changing = true
      try {
        return await change(wanted)
      } catch (error) {
        changing = false
        throw error
      }
    },
  }
}

async function edited(text: string, values: DocumentChange["values"]): Promise<string> {
  try {
    return await editText(text, values)
  } catch (error) {
    throw isRtrError(error) ? new ManagementError(409, "CONFIG_PATCH_ERROR", error.message) : error
  }
}

const tagOf = async (text: string): Promise<string> => `"${await sha256(text)}"`

async function expectTag(header: string | undefined, text: string): Promise<void> {
  const current = await tagOf(text)
  if (header === undefined)
    throw new ManagementError(
      428,
      "PRECONDITION_REQUIRED",
      "Cannot change the document without If-Match: send the ETag of the document that the change is made for",
    )
  const tags = new Set(header.split(",").map((tag) => tag.trim()))
  if (!tags.has("*") && !tags.has(current))
    throw new ManagementError(412, "CONFIG_CHANGED", `The document has changed since; its ETag is ${current} now`)
}
