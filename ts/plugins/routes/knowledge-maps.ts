// /api/v1/storage/knowledge-bases/{name}/map: the sentences of a knowledge base as points of a plane.

import {
  defineRoute,
  type Inference,
  isRtrError,
  type KeptDocument,
  ManagementError,
  mapOf,
  operation,
  type OtherRequests,
  Type,
  workOn,
} from "../../kernel/index.ts"
import { type Label, readManifestFile } from "../_shared/knowledge/manifest.ts"
import { toPlane } from "../_shared/knowledge/plane.ts"
import { baseDocument, basesIn, findBase } from "../_shared/knowledge/record.ts"
import type { KnowledgeBase } from "../_shared/knowledge/settings.ts"

const path = "/api/v1/storage/knowledge-bases/{name}/map"

/** More points than this nobody tells apart; their vectors would hold up the model. */
const maxPoints = 2000
/** Texts of one call of a worker: requests wait for no more than one. */
const textsOfCall = 16
/** Maps of this generation that are kept. */
const maxKept = 8

const kept = {
  method: "GET",
  permission: "config.read",
  sensitivity: "config",
  capability: "storage",
  plane: "management",
  audiences: ["agent", "operator"],
  stability: "stable",
  errors: "management",
  errorStatuses: [404, 501, 503],
  params: Type.Object({ name: Type.String({ minLength: 1 }) }),
  needs: ["document", "routing.other"],
} as const

interface Point {
  readonly text: string
  readonly label: string
  readonly labelIndex: number
}

export default defineRoute({
  about: "Maps of knowledge bases",
  listeners: ["management"],
  operations: [
    operation({
      ...kept,
      id: "knowledge_bases.map",
      path: `${path}/metadata`,
      about: "What the map of a knowledge base shows",
      replies: {
        200: {
          about: "The description",
          schema: Type.Object({
            name: Type.String(),
            description: Type.Optional(Type.String()),
            projection: Type.Literal("pca_2d"),
            model_type: Type.String({ description: "The deployment that makes the vectors" }),
            point_count: Type.Integer(),
            label_count: Type.Integer(),
            group_count: Type.Integer(),
            label_names: Type.Array(Type.String()),
            topic_label_hint: Type.String({ description: "Field of a point that names its topic" }),
            groups: mapOf(Type.Array(Type.String())),
          }),
        },
      },
      setup:
        (host) =>
        async ({ params: { name } }) => {
          const { base, description, labels, deployment } = await open(host, name)
          return {
            body: {
              name,
              ...(description !== undefined && { description }),
              projection: "pca_2d",
              model_type: deployment,
              point_count: pointsOf(labels).length,
              label_count: labels.length,
              group_count: Object.keys(base.groups ?? {}).length,
              label_names: labels.map((label) => label.name),
              topic_label_hint: "label_name",
              groups: base.groups ?? {},
            },
          }
        },
    }),
    operation({
      ...kept,
      id: "knowledge_bases.map_data",
      path: `${path}/data.ndjson`,
      about: "The sentences of a knowledge base, each with its label and its place on the map",
      replies: {
        200: { about: "One object in each line: text, label_name, label_index, vector", type: "application/x-ndjson" },
      },
      setup: (host) => {
        const maps = new Map<string, Promise<string>>()
        return async ({ params: { name } }) => {
          const { labels, deployment } = await open(host, name)
          const { inference } = host.other()
          const points = pointsOf(labels)
          const key = JSON.stringify([deployment, points])
          let map = maps.get(key)
          if (map === undefined) {
            if (maps.size >= maxKept) maps.clear()
            map = draw(points, inference, deployment)
            maps.set(key, map)
            map.catch(() => maps.delete(key))
          }
          return { text: await map, headers: { "cache-control": "no-cache" } }
        }
      },
    }),
  ],
})

interface Opened {
  readonly base: KnowledgeBase
  readonly description: string | undefined
  readonly labels: readonly Label[]
  readonly deployment: string
}

async function open(
  host: { readonly document: KeptDocument | undefined; other(): OtherRequests },
  name: string,
): Promise<Opened> {
  const document = baseDocument(host)
  const { value } = await document.read()
  const { base } = findBase(basesIn(value), name)
  const { model_catalog: catalog } = (value["global"] ?? {}) as {
    readonly model_catalog?: { readonly bindings?: { readonly embedding?: { readonly deployment?: string } } }
  }
  try {
    const { labels, description } = await readManifestFile(base, document.readFile)
    return { base, description, labels, deployment: catalog?.bindings?.embedding?.deployment ?? "default" }
  } catch (error) {
    if (!isRtrError(error)) throw error
    throw new ManagementError(500, "KB_MAP_BUILD_ERROR", `Cannot read the file of knowledge base "${name}"`)
  }
}

/** Of each label as many as of the others, where there are too many. */
function pointsOf(labels: readonly Label[]): readonly Point[] {
  const count = labels.reduce((sum, { exemplars }) => sum + exemplars.length, 0)
  const share = count > maxPoints ? Math.max(1, Math.floor(maxPoints / labels.length)) : Infinity
  return labels.flatMap(({ name, exemplars }, labelIndex) =>
    exemplars.slice(0, share).map((text) => ({ text, label: name, labelIndex })),
  )
}

/** Rejects with `KB_MAP_BUILD_ERROR` where the model gives no vectors. */
async function draw(points: readonly Point[], inference: Inference | undefined, deployment: string): Promise<string> {
  const failed = (why: string): ManagementError =>
    new ManagementError(503, "KB_MAP_BUILD_ERROR", `Cannot draw the map: deployment "${deployment}" ${why}`)
  if (inference === undefined) throw failed("is not loaded, because no rule of the document asks it")
  const vectors: Float32Array[] = []
  for (let start = 0; start < points.length; start += textsOfCall) {
    const part = points.slice(start, start + textsOfCall)
    const answers = await inference.bundle(part.map(({ text }) => ({ kind: "embed", deployment, text })))
    for (const answer of answers) {
      if (answer.kind !== "embed") throw failed("gave no vectors")
      if (answer.vector.length !== (vectors[0] ?? answer.vector).length)
        throw failed("gave vectors of different widths")
      vectors.push(answer.vector)
    }
  }
  const places = await workOn("", toPlane(vectors))
  return points
    .map(({ text, label, labelIndex }, index) =>
      JSON.stringify({
        text,
        label_name: label,
        label_index: labelIndex,
        vector: (places[index] ?? [0, 0]).map(rounded),
      }),
    )
    .join("\n")
    .concat("\n")
}

const rounded = (value: number): number => Number(value.toFixed(6))
