// Values with the form of personal data that are nobody's: addresses inside of networks, of documentation and of public services,
// and mailboxes that nobody reads. They stand in every other configuration file. A rule that names kinds finds them all the same.

/** Whether a value of a kind tells of no person. */
export function isOfNobody(kind: string, value: string): boolean {
  if (kind === "IP_ADDRESS") return value.includes(":") ? localOrExample6.test(value) : isShared4(value)
  return kind === "EMAIL_ADDRESS" && (unread.test(value) || placeholder.test(value))
}

/** Resolvers that everybody asks: Cloudflare, Google, Quad9, OpenDNS. */
const resolvers: ReadonlySet<string> = new Set([
  "1.0.0.1",
  "1.1.1.1",
  "8.8.4.4",
  "8.8.8.8",
  "9.9.9.9",
  "149.112.112.112",
  "208.67.220.220",
  "208.67.222.222",
])

/** RFC 1918, 3927 and 6598: networks that are the same in every house. RFC 5737 and 2544: documentation and measuring. */
const networks: readonly RegExp[] = [
  /^10\./,
  /^172\.(?:1[6-9]|2\d|3[01])\./,
  /^192\.168\./,
  /^169\.254\./,
  /^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./,
  /^192\.0\.2\./,
  /^198\.51\.100\./,
  /^203\.0\.113\./,
  /^198\.1[89]\./,
]

const isShared4 = (value: string): boolean => resolvers.has(value) || networks.some((network) => network.test(value))

/** RFC 4193, 4291 and 3849. */
const localOrExample6 = /^(?:f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]|2001:0?db8):/i

const unread = /^(?:(?:do[._-]?not|no)[._-]?reply|mailer-daemon|postmaster)@|@users\.noreply\.github\.com$/i
/** What documentation writes in the place of a name, in the domains of RFC 2606. */
const placeholder =
  /^(?:you|your[._-]?(?:name|e?mail)|user(?:name)?\d?|name|me|foo|bar|someone|somebody|test|info|hello|admin|contact|support|sales|team|git|root|alerts|ops)@(?:[\w-]+\.)*(?:example(?:\.(?:com|org|net))?|test|invalid|localhost)$/i
