// What a part of a text has to look like to be personal data of a kind: models mark signs of formulas as addresses, and words as numbers.

/** What belongs to the same number or word as its neighbour. */
const words = /\S/u
const digits = /[\d().+*/ x•-]/iu

interface Form {
  readonly looksRight: RegExp
  /** Models often mark only some parts of a number, so that the form is that of the whole one. */
  readonly goesOnWith: RegExp
}

const form = (looksRight: RegExp, goesOnWith = words): Form => ({ looksRight, goesOnWith })

/** Written with dots, dashes or spaces, with words for signs, or with stars for digits. */
const forms: ReadonlyMap<string, Form> = new Map([
  ["EMAIL_ADDRESS", form(/@|\bat\b/iu)],
  ["DOMAIN_NAME", form(/[^\s.]\.[^\s.]|:\/\/|\bdot\b/iu)],
  ["IP_ADDRESS", form(/(?:\d{1,3}\D{1,3}){3}\d|(?:[\da-f]{1,4}[:-]{1,2}){2}[\da-f]/iu)],
  ["PHONE_NUMBER", form(/(?:\p{Nd}\P{Nd}{0,3}){6}/u, digits)],
  ["US_SSN", form(/(?:[\dx*•]\D{0,2}){9}/iu, digits)],
  ["CREDIT_CARD", form(/(?:[\dx*•]\D{0,2}){12}/iu, digits)],
  ["IBAN_CODE", form(/(?:\d\D{0,6}){8}/u)],
  ["ZIP_CODE", form(/\p{Nd}/u)],
  ["AGE", form(/[\p{L}\p{Nd}]/u)],
  ["DATE_TIME", form(/\p{Nd}|\p{L}{3}|[^\p{ASCII}]/u)],
  ["PASSWORD", form(/\S{4}/u)],
])

/** Of names, and of kinds that only a model knows. */
const otherForm = form(/[\p{L}\p{Nd}]/u)

/** Most that a part is followed to each side. */
const reach = 40

/** Whether `text.slice(start, end)` may be personal data of a kind, or a part of it. */
export function hasForm(text: string, { kind, start, end }: { kind: string; start: number; end: number }): boolean {
  const { looksRight, goesOnWith } = forms.get(kind) ?? otherForm
  if (looksRight.test(text.slice(start, end))) return true
  let [from, to] = [start, end]
  while (from > Math.max(0, start - reach) && goesOnWith.test(text.charAt(from - 1))) from -= 1
  while (to < Math.min(text.length, end + reach) && goesOnWith.test(text.charAt(to))) to += 1
  return to - from > end - start && looksRight.test(text.slice(from, to))
}
