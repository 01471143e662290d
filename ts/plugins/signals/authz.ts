// Matches the roles of the sender: of the API key that the listener has checked, and of the user whom a proxy in front of the
// router names in headers.

import {
  defineSignal,
  type Fact,
  RtrError,
  section,
  type SignalSurroundings,
  type Static,
  Type,
} from "../../kernel/index.ts"

/** Those that headers name. */
const userKinds = ["user", "group", "team"] as const
const kinds = ["key", ...userKinds] as const
type Kind = (typeof kinds)[number]

const rule = Type.Object({
  role: Type.String({ minLength: 1, description: "What conditions name; several bindings may grant one role" }),
  subjects: Type.Array(
    section({
      kind: Type.String({ description: "Key, User, Group or Team" }),
      name: Type.String({
        minLength: 1,
        description: "Name of the API key in api_keys of a listener, id of the user, name of the group or the team",
      }),
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
      description:
        "Whether a request goes on that lacks the user or the key that bindings ask for. It is refused when left out",
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
  about:
    "Matches the roles of the API key that a client sends, or of the user whom a proxy in front of the router names in headers",
  configKey: "role_bindings",
  rule,
  settings: { path: ["services", "authz"], schema: settings },
  factNames: ({ role }) => [role],
  refuses: true,
  check(rules, report, { document } = {}) {
    if (asksUser(rules) && !isLocal(document) && identityOf(document)?.trusted === undefined)
      report(
        [0],
        "needs headers that name the user, and they do not count on an address that strangers may reach; say global.services.authz.identity.trusted: true if only a proxy reaches it that sets them, or false",
        "warning",
      )
    const keys = document === undefined ? undefined : namedKeysOf(document)
    rules.forEach(({ subjects }, index) =>
      subjects.forEach(({ kind, name }, place) => {
        if (kindOf(kind) === undefined)
          report([index, "subjects", place, "kind"], `must be Key, User, Group or Team, got "${kind}"`)
        if (kindOf(kind) === "key" && keys?.has(name) === false)
          report(
            [index, "subjects", place, "name"],
            `"${name}" is not the name of an API key; listeners name theirs in api_keys, as { name: ${name}, key: … }`,
          )
      }),
    )
  },
  setup(rules, { settings: { fail_open: failOpen = false, identity = {} }, document }) {
    const userHeader = (identity.user_id_header ?? headers.user).toLowerCase()
    const groupsHeader = (identity.user_groups_header ?? headers.group).toLowerCase()
    const isTrusted = identity.trusted ?? isLocal(document)
    const roles = holdersOf(rules)
    const needsUser = asksUser(rules)
    return {
      read(input) {
        // Whoever may preview routes may say for whom.
        const counts = isTrusted || input.principal.role !== "client"
        const header = (name: string): string => (counts ? (input.header(name)?.trim() ?? "") : "")
        const user = header(userHeader)
        const key = input.preview === undefined ? input.principal.key : input.preview.userId
        if (!failOpen && (needsUser ? user === "" : key === undefined))
          throw new RtrError(
            "identity_required",
            `The router does not know for whom this request is: it needs ${
              needsUser
                ? `the header ${userHeader}, and global.services.authz.identity says whether it is trusted`
                : input.preview === undefined
                  ? "an API key, and the listener asks for none"
                  : "preview_context.user_id with the name of an API key"
            }`,
          )
        const groups = header(groupsHeader)
          .split(",")
          .map((group) => group.trim())
        const given = { user: [user], group: groups, team: [header(headers.team)] }
        return Array.from(roles, ([role, holders]): Fact => {
          const isUsers = user !== "" && userKinds.some((kind) => given[kind].some((name) => holders[kind].has(name)))
          const matched = isUsers || (key !== undefined && holders.key.has(key))
          return { rule: role, state: matched ? "match" : "no_match", confidence: Number(matched) }
        })
      },
    }
  },
})

const kindOf = (written: string): Kind | undefined => kinds.find((kind) => kind === written.toLowerCase())

type Rules = readonly {
  readonly role: string
  readonly subjects: readonly { readonly kind: string; readonly name: string }[]
}[]

const asksUser = (rules: Rules): boolean =>
  rules.some(({ subjects }) => subjects.some(({ kind }) => kindOf(kind) !== "key"))

type Document = SignalSurroundings["document"]

/**
 * Names that listeners give their keys. What keys without a name are called goes by their position, and means another key on
 * every listener: no role may hang on it.
 */
function namedKeysOf({ listeners = [] }: Document): ReadonlySet<string> {
  const keys = listeners.flatMap(({ api_keys: own = [] }) => own.map((key, index) => ({ key, index })))
  const names = new Set(keys.flatMap(({ key }) => (typeof key === "string" ? [] : [key.name])))
  for (const { key, index } of keys) if (typeof key === "string") names.delete(`key-${index + 1}`)
  return names
}

function identityOf(document: Document | undefined): { readonly trusted?: boolean } | undefined {
  const { services } = (document?.global ?? {}) as { readonly services?: { readonly authz?: Static<typeof settings> } }
  return services?.authz?.identity
}

/** Whether only programs of this machine reach the router. */
const isLocal = ({ listeners = [] }: Document = {}): boolean =>
  listeners.every(({ address }) => /^(localhost|127(\.\d+){3}|::1)$/i.test(address))

type Holders = Readonly<Record<Kind, Set<string>>>

function holdersOf(rules: Rules): ReadonlyMap<string, Holders> {
  const roles = new Map<string, Holders>()
  for (const { role, subjects } of rules) {
    const holders = roles.get(role) ?? {
      key: new Set(),
      user: new Set(),
      group: new Set(),
      team: new Set(),
    }
    for (const { kind, name } of subjects) holders[kindOf(kind) ?? "user"].add(name)
    roles.set(role, holders)
  }
  return roles
}
