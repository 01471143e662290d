// Matches the roles of the user for whom the request is made. Who that is says a proxy in front of the router, in headers.

import {
  defineSignal,
  type Fact,
  RtrError,
  section,
  type SignalSurroundings,
  type Static,
  Type,
} from "../../kernel/index.ts"

const kinds = ["user", "group", "team"] as const
type Kind = (typeof kinds)[number]

const rule = Type.Object({
  role: Type.String({ minLength: 1, description: "What conditions name; several bindings may grant one role" }),
  subjects: Type.Array(
    section({
      kind: Type.String({ description: "User, Group or Team" }),
      name: Type.String({ minLength: 1, description: "Id of the user, name of the group or the team" }),
    }),
    { minItems: 1, description: "Who has the role: any of these" },
  ),
})

const headerName = (standard: string) =>
  Type.Optional(Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$", description: `${standard} when left out` }))

const headers = { user: "x-authz-user-id", group: "x-authz-user-groups", team: "x-authz-team-id" } as const

const settings = section({
  fail_open: Type.Optional(
    Type.Boolean({
      description: "Whether a request without a user goes on, without any role. It is refused when left out",
    }),
  ),
  identity: Type.Optional(
    section({
      user_id_header: headerName(headers.user),
      user_groups_header: headerName(headers.group),
      trusted: Type.Optional(
        Type.Boolean({
          description:
            "Whether these headers count: true only where nobody but a proxy that sets them reaches the listeners. When left out, they count if every listener is on a loopback address",
        }),
      ),
    }),
  ),
})

export default defineSignal({
  about: "Matches the roles of the user whom a proxy in front of the router names in headers",
  configKey: "role_bindings",
  rule,
  settings: { path: ["services", "authz"], schema: settings },
  factNames: ({ role }) => [role],
  refuses: true,
  check(rules, report, { document } = {}) {
    if (rules.length > 0 && !isLocal(document) && identityOf(document)?.trusted === undefined)
      report(
        [0],
        "needs headers that name the user, and they do not count on an address that strangers may reach; say global.services.authz.identity.trusted: true if only a proxy reaches it that sets them, or false",
        "warning",
      )
    rules.forEach(({ subjects }, index) =>
      subjects.forEach(({ kind }, place) => {
        if (kindOf(kind) === undefined)
          report([index, "subjects", place, "kind"], `must be User, Group or Team, got "${kind}"`)
      }),
    )
  },
  setup(rules, { settings: { fail_open: failOpen = false, identity = {} }, document }) {
    const userHeader = (identity.user_id_header ?? headers.user).toLowerCase()
    const groupsHeader = (identity.user_groups_header ?? headers.group).toLowerCase()
    const isTrusted = identity.trusted ?? isLocal(document)
    const roles = holdersOf(rules)
    return {
      read(input) {
        // Whoever may preview routes may say for whom.
        const counts = isTrusted || input.principal.role !== "client"
        const header = (name: string): string => (counts ? (input.header(name)?.trim() ?? "") : "")
        const user = header(userHeader)
        if (user === "" && !failOpen)
          throw new RtrError(
            "identity_required",
            `The router does not know for whom this request is: it needs the header ${userHeader}, and global.services.authz.identity says whether it is trusted`,
          )
        const groups = header(groupsHeader)
          .split(",")
          .map((group) => group.trim())
        const given = { user: [user], group: groups, team: [header(headers.team)] }
        return Array.from(roles, ([role, holders]): Fact => {
          const matched = user !== "" && kinds.some((kind) => given[kind].some((name) => holders[kind].has(name)))
          return { rule: role, state: matched ? "match" : "no_match", confidence: Number(matched) }
        })
      },
    }
  },
})

const kindOf = (written: string): Kind | undefined => kinds.find((kind) => kind === written.toLowerCase())

type Document = SignalSurroundings["document"]

function identityOf(document: Document | undefined): { readonly trusted?: boolean } | undefined {
  const { services } = (document?.global ?? {}) as { readonly services?: { readonly authz?: Static<typeof settings> } }
  return services?.authz?.identity
}

/** Whether only programs of this machine reach the router. */
const isLocal = ({ listeners = [] }: Document = {}): boolean =>
  listeners.every(({ address }) => /^(localhost|127(\.\d+){3}|::1)$/i.test(address))

type Holders = Readonly<Record<Kind, Set<string>>>

function holdersOf(
  rules: readonly { readonly role: string; readonly subjects: readonly { kind: string; name: string }[] }[],
): ReadonlyMap<string, Holders> {
  const roles = new Map<string, Holders>()
  for (const { role, subjects } of rules) {
    const holders = roles.get(role) ?? { user: new Set(), group: new Set(), team: new Set() }
    for (const { kind, name } of subjects) holders[kindOf(kind) ?? "user"].add(name)
    roles.set(role, holders)
  }
  return roles
}
