// Parts of the document that name an external model in the place of a built-in one: `backend`, and the older `protocol`.

import { literals, section, type Static, Type } from "../../../kernel/index.ts"
import { type ExternalModel, findExternal, type ModelRole } from "./settings.ts"

export const protocols = ["http_classify", "http_chat"] as const

export const backend = Type.Optional(
  section(
    {
      protocol: literals(protocols, {
        description: "http_classify: a classifier; http_chat: a chat model that says its verdict",
      }),
      contract: Type.Optional(literals(["label_distribution.v1", "label_decision.v1"])),
      model: Type.String({ minLength: 1, description: "Name in global.model_catalog.external" }),
      deadline_ms: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 3_600_000, description: "Longest wait; 5000 when left out" }),
      ),
    },
    { description: "External model that answers in the place of the built-in one" },
  ),
)

export interface BackendKeys {
  readonly backend?: Exclude<Static<typeof backend>, undefined>
  readonly protocol?: string
}

export interface BackendUse {
  readonly protocol: (typeof protocols)[number]
  readonly name: string | undefined
  readonly timeoutMs: number | undefined
}

const usualDeadlineMs = 5000

/** How the part asks an external model; undefined where it asks none. */
export function backendUse({ backend: named, protocol }: BackendKeys): BackendUse | undefined {
  if (named !== undefined)
    return { protocol: named.protocol, name: named.model, timeoutMs: named.deadline_ms ?? usualDeadlineMs }
  const known = protocols.find((each) => each === protocol)
  return known && { protocol: known, name: undefined, timeoutMs: undefined }
}

export const modelOfUse = (document: object, use: BackendUse, role: ModelRole): ExternalModel | undefined =>
  findExternal(document, { name: use.name, role })
