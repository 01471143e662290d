// Lets web pages of some origins use a listener (CORS). Cookies are never taken: clients send their keys themselves.

import type { ListenerApp } from "./app.ts"
import { withHeaders } from "./response.ts"

/** How long a browser may keep the answer to its question. */
const maxAgeSeconds = 600

/** `*` among the origins stands for every one. Answers to other origins have no word about any of it. */
export function withCors(app: ListenerApp, origins: ReadonlySet<string>): ListenerApp {
  const isOpen = origins.has("*")
  /** Caches must not give the answer for one origin to another. */
  const vary: Readonly<Record<string, string>> = isOpen ? {} : { vary: "origin" }
  return {
    async fetch(request) {
      const origin = request.headers.get("origin")
      if (origin === null || !(isOpen || origins.has(origin))) return withHeaders(await app.fetch(request), () => vary)
      const allowed = { ...vary, "access-control-allow-origin": isOpen ? "*" : origin }
      const asked = request.headers.get("access-control-request-method")
      if (request.method === "OPTIONS" && asked !== null) {
        const headers = request.headers.get("access-control-request-headers")
        return new Response(null, {
          status: 204,
          headers: {
            ...allowed,
            "access-control-allow-methods": "GET, HEAD, POST, DELETE",
            ...(headers !== null && { "access-control-allow-headers": headers }),
            "access-control-max-age": String(maxAgeSeconds),
          },
        })
      }
      return withHeaders(await app.fetch(request), (names) => ({
        ...allowed,
        "access-control-expose-headers": names.filter(isOwn).join(", "),
      }))
    },
  }
}

/** Headers that a page may read: those about routing and limits. */
const isOwn = (name: string): boolean => name.startsWith("x-") || name.startsWith("retry-after")
