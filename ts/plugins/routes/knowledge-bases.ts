// /api/v1/storage/knowledge-bases: labels with example sentences for kb rules, in the document that serves.

import {
  type ChangedDocument,
  defineRoute,
  type KeptDocument,
  literals,
  ManagementError,
  operation,
  type OperationReply,
  Type,
} from "../../kernel/index.ts"
import {
  baseDocument,
  basesIn,
  basesPath,
  declaredIn,
  findBase,
  isManaged,
  record,
  recordOf,
} from "../_shared/knowledge/record.ts"
import type { KnowledgeBase } from "../_shared/knowledge/settings.ts"
import { baseName, checkUpsert, created, updated, type Upsert, writtenAs } from "../_shared/knowledge/upsert.ts"

const path = "/api/v1/storage/knowledge-bases"
const onOne = { path: `${path}/{name}`, params: Type.Object({ name: Type.String({ minLength: 1 }) }) } as const

const kept = {
  capability: "storage",
  plane: "management",
  audiences: ["agent", "operator"],
  stability: "stable",
  errors: "management",
  needs: ["document"],
} as const
const reading = { ...kept, method: "GET", permission: "config.read", sensitivity: "config" } as const
const changing = { ...kept, permission: "config.write", sensitivity: "mutation" } as const

const activation = {
  activation_status: literals(["pending", "active"]),
  generated_runtime_hash: Type.String({
    description: "active_runtime_hash of GET /api/v1/config/hash is this one when the change serves",
  }),
}
const accepted = {
  202: {
    about: "The change is in order and is being activated; the file of the document is written when it serves",
    schema: Type.Object({ ...record.properties, ...activation }),
  },
} as const

export default defineRoute({
  about: "Knowledge bases",
  listeners: ["management"],
  operations: [
    operation({
      ...reading,
      id: "knowledge_bases.list",
      path,
      about: "All knowledge bases, with their labels and the rules that ask them",
      errorStatuses: [501],
      replies: { 200: { about: "The list", schema: Type.Object({ items: Type.Array(record) }) } },
      setup: (host) => async () => {
        const document = baseDocument(host)
        const { value } = await document.read()
        const items = await Promise.all(basesIn(value).map((base) => recordOf(base, value, document.readFile)))
        return { body: { items } }
      },
    }),
    operation({
      ...reading,
      ...onOne,
      id: "knowledge_bases.get",
      about: "One knowledge base",
      errorStatuses: [404, 501],
      replies: { 200: { about: "The knowledge base", schema: record } },
      setup:
        (host) =>
        async ({ params: { name } }) => {
          const document = baseDocument(host)
          const { value } = await document.read()
          const { base } = findBase(basesIn(value), name)
          return { body: await recordOf(base, value, document.readFile) }
        },
    }),
    operation({
      ...changing,
      path,
      method: "POST",
      id: "knowledge_bases.create",
      about: "Makes a knowledge base",
      body: created,
      errorStatuses: [409, 501],
      replies: accepted,
      setup:
        (host) =>
        async ({ body, principal: { permissions } }) => {
          const document = baseDocument(host)
          const { value } = await document.read()
          const declared = declaredIn(value)
          const bases = basesIn(value)
          if (bases.some(({ name }) => name === body.name))
            throw new ManagementError(
              409,
              "KB_EXISTS",
              `There is a knowledge base "${body.name}"; change it with PUT ${path}/${body.name}`,
            )
          return save(document, body.name, { body, permissions }, (entry) =>
            // The built-in ones would be gone in a document that declares others.
            declared === undefined ? [basesPath, [...bases, entry]] : [[...basesPath, declared.length], entry],
          )
        },
    }),
    operation({
      ...changing,
      ...onOne,
      method: "PUT",
      id: "knowledge_bases.update",
      about: "Replaces a knowledge base that this API has made",
      body: updated,
      errorStatuses: [404, 409, 501],
      replies: accepted,
      setup:
        (host) =>
        async ({ params: { name }, body, principal: { permissions } }) => {
          const document = baseDocument(host)
          if (body.name !== undefined && body.name !== name)
            throw new ManagementError(
              400,
              "INVALID_INPUT",
              `Cannot rename knowledge base "${name}" to "${body.name}": rules refer to it by its name`,
            )
          const { index } = editable((await document.read()).value, name)
          return save(document, name, { body, permissions }, (entry) => [[...basesPath, index], entry])
        },
    }),
    operation({
      ...changing,
      ...onOne,
      method: "DELETE",
      id: "knowledge_bases.delete",
      about: "Removes a knowledge base that this API has made and no rule asks; its files stay",
      errorStatuses: [404, 409, 501],
      replies: {
        202: {
          about: "The change is in order and is being activated",
          schema: Type.Object({ status: Type.Literal("deleted"), name: baseName, ...activation }),
        },
      },
      setup:
        (host) =>
        async ({ params: { name }, principal: { permissions } }) => {
          const document = baseDocument(host)
          const { index } = editable((await document.read()).value, name)
          const change = await document.change({
            values: [[[...basesPath, index], undefined]],
            client: { permissions },
          })
          return { status: 202, body: { status: "deleted", name, ...told(change) } }
        },
    }),
  ],
})

function editable(value: Parameters<typeof basesIn>[0], name: string): ReturnType<typeof findBase> {
  const found = findBase(basesIn(value), name)
  if (!isManaged(found.base))
    throw new ManagementError(
      403,
      "KB_READ_ONLY",
      `Cannot change knowledge base "${name}": its file is not one that this API has made; edit the file and the document`,
    )
  return found
}

async function save(
  document: KeptDocument,
  name: string,
  { body, permissions }: { readonly body: Upsert; readonly permissions: ReadonlySet<string> | undefined },
  place: (entry: KnowledgeBase) => readonly [path: readonly (string | number)[], value: unknown],
): Promise<OperationReply> {
  checkUpsert(body)
  const { entry, files } = await writtenAs(name, body)
  const change = await document.change({ values: [place(entry)], files, client: { permissions, brought: body } })
  const { value } = await document.read()
  return {
    status: 202,
    body: { ...(await recordOf(entry, value, document.readFile)), builtin: false, ...told(change) },
  }
}

const told = ({ status, hash }: ChangedDocument): object => ({
  activation_status: status,
  generated_runtime_hash: hash,
})
