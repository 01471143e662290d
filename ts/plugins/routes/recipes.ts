// /api/v1/config/recipes: routing profiles of the document that serves.

import {
  defineRoute,
  type DocumentChange,
  type KeptDocument,
  ManagementError,
  operation,
  type OperationReply,
  type ReadDocument,
  Type,
} from "../../kernel/index.ts"
import {
  type Mutation,
  mutation,
  mutationOf,
  type Recipe,
  recipe,
  recipesIn,
  removalOf,
} from "../_shared/recipes/recipes.ts"

const path = "/api/v1/config/recipes"
const onOne = { path: `${path}/{name}`, params: Type.Object({ name: Type.String({ minLength: 1 }) }) } as const
/** How long a client is kept waiting for a change to serve. */
const patienceMs = 20_000

const kept = {
  capability: "config",
  plane: "management",
  audiences: ["agent", "operator"],
  stability: "stable",
  errors: "management",
  needs: ["document"],
} as const
const reading = { ...kept, permission: "config.read", sensitivity: "secret_view" } as const
const changing = { ...kept, permission: "config.write", sensitivity: "mutation" } as const

const update = Type.Object({
  status: Type.String({ description: "success, accepted or activation_failed" }),
  etag: Type.String(),
  activation_status: Type.String({ description: "active, pending or failed" }),
  generated_runtime_hash: Type.String(),
})
const outcomes = {
  200: { about: "The change serves", schema: update },
  202: { about: "The change is still being activated; GET /api/v1/config/hash tells when it serves", schema: update },
  503: { about: "The change cannot be activated; the document is as it was", schema: update },
} as const

export default defineRoute({
  about: "Recipes",
  listeners: ["management"],
  operations: [
    operation({
      ...reading,
      id: "recipes.list",
      method: "GET",
      path,
      about: "All routing profiles, with the model names that lead to them",
      errorStatuses: [501],
      replies: {
        200: { about: "The list", schema: Type.Object({ etag: Type.String(), recipes: Type.Array(recipe) }) },
      },
      setup:
        (host) =>
        async ({ principal }) => {
          const document = await documentOf(host).read()
          const recipes = recipesIn(shownTo(principal.permissions, document))
          return { body: { etag: document.etag, recipes }, headers: { etag: document.etag } }
        },
    }),
    operation({
      ...reading,
      id: "recipes.validate",
      method: "POST",
      path: `${path}/validate`,
      about: "Checks a routing profile without writing it",
      body: Type.Object(
        { ...mutation.properties, name: Type.String({ minLength: 1 }) },
        { additionalProperties: false },
      ),
      errorStatuses: [409, 501],
      replies: {
        200: {
          about: "The document would be valid",
          schema: Type.Object({ valid: Type.Literal(true), name: Type.String(), action: Type.String() }),
        },
      },
      setup:
        (host) =>
        async ({ body, principal: { permissions } }) => {
          const document = documentOf(host)
          const { value } = await document.read()
          const { action, values } = mutationOf(value, body.name, body as Mutation)
          await document.check({ values, client: { permissions, brought: body } })
          return { body: { valid: true, name: body.name, action } }
        },
    }),
    operation({
      ...reading,
      ...onOne,
      id: "recipes.get",
      method: "GET",
      about: "One routing profile",
      errorStatuses: [404, 501],
      replies: { 200: { about: "The profile", schema: recipe } },
      setup:
        (host) =>
        async ({ params: { name }, principal }) => {
          const document = await documentOf(host).read()
          const body = find(recipesIn(shownTo(principal.permissions, document)), name)
          return { body, headers: { etag: document.etag } }
        },
    }),
    operation({
      ...changing,
      ...onOne,
      id: "recipes.put",
      method: "PUT",
      about: "Makes or replaces a routing profile; needs If-Match",
      body: mutation,
      errorStatuses: [409, 412, 428, 501],
      replies: { ...outcomes, 201: { about: "The new profile serves", schema: update } },
      setup:
        (host) =>
        async ({ params: { name }, body, header, principal: { permissions } }) => {
          const document = documentOf(host)
          const { value } = await document.read()
          const { action, values } = mutationOf(value, name, body as Mutation)
          const client = { permissions, brought: [name, body] }
          return change(
            document,
            { values, client, ifMatch: { header: header("if-match") } },
            action === "create" ? 201 : 200,
          )
        },
    }),
    operation({
      ...changing,
      ...onOne,
      id: "recipes.delete",
      method: "DELETE",
      about: "Removes a routing profile that no entrypoint names; needs If-Match",
      errorStatuses: [404, 409, 412, 428, 501],
      replies: outcomes,
      setup:
        (host) =>
        async ({ params: { name }, header, principal: { permissions } }) => {
          const document = documentOf(host)
          const { value } = await document.read()
          find(recipesIn(value), name)
          const values = removalOf(value, name)
          return change(document, { values, client: { permissions }, ifMatch: { header: header("if-match") } }, 200)
        },
    }),
  ],
})

function documentOf({ document }: { readonly document: KeptDocument | undefined }): KeptDocument {
  if (document !== undefined) return document
  throw new ManagementError(
    501,
    "NO_CONFIG_PATH",
    "This host follows no configuration file; recipes are read and changed through rtr serve",
  )
}

/** Those who may see secrets get the document as it is written. */
const shownTo = (
  permissions: ReadonlySet<string> | undefined,
  { value, redacted }: ReadDocument,
): ReadDocument["value"] => (permissions === undefined || permissions.has("secret_view") ? value : redacted)

function find(recipes: readonly Recipe[], name: string): Recipe {
  const found = recipes.find((each) => each.name === name)
  if (found === undefined)
    throw new ManagementError(404, "RECIPE_NOT_FOUND", `There is no such recipe; GET ${path} lists all`)
  return found
}

async function change(document: KeptDocument, wanted: DocumentChange, done: 200 | 201): Promise<OperationReply> {
  const { hash, etag, settled } = await document.change(wanted)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<"pending">((resolve) => {
    timer = setTimeout(resolve, patienceMs, "pending")
  })
  const state = await Promise.race([settled, late])
  clearTimeout(timer)
  const status = { active: "success", pending: "accepted", failed: "activation_failed" }[state]
  return {
    status: { active: done, pending: 202, failed: 503 }[state],
    body: { status, etag, activation_status: state, generated_runtime_hash: hash },
    headers: { etag },
  }
}
