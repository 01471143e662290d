// What code, schemas and tables of databases write where a form has somebody's name: types behind a colon, `user_name: str`, and names of fields.

/** Types of common languages, databases and interfaces, in small letters. */
const types: ReadonlySet<string> = new Set(
  [
    "str string strings text char chars character varchar varchar2 nvarchar nvarchar2 nchar bpchar citext clob nclob blob bytes bytea byte bytearray binary varbinary rune",
    "int integer integers long short bigint smallint tinyint mediumint serial bigserial uint ulong ushort usize isize float double decimal numeric number numbers real money bool boolean bit",
    "date datetime datetime2 time timestamp timestamptz interval duration instant uuid guid uniqueidentifier ulid cuid objectid oid inet cidr",
    "any anyobject unknown never void null nil none undefined unit object obj record map hashmap dict list array vec vector tuple set sequence iterable collection enum union",
    "optional option maybe nullable result either literal callable function func json jsonb xml url uri email hidden symbol slug regex secretstr emailstr constr charfield textfield stringfield",
  ].flatMap((line) => line.split(" ")),
)

const sized = /^(?:[iuf](?:8|16|32|64|128)|(?:u?int|float|bytes)\d+(?:_t)?)$/i
/** `NonEmptyString`, `UserId`, `ann.types.StringField`. */
const typeByEnding =
  /(?:^|\.)(?:[A-Z][a-z\d]*)*(?:String|Str|Text|Int|Integer|Bool|Boolean|Float|Type|Schema|Field|Column|Id|Uuid|Enum|Dto|DTO|Props|Options?|Input|Request|Response|Model|Entity|Struct|Interface|Protocol|Handle|Handler|Ref)$/

/** Whether a value is the type of one: `str`, `varchar2`, `UserId`. */
export const isTypeName = (value: string): boolean =>
  types.has(value.toLowerCase()) || sized.test(value) || typeByEnding.test(value)

/** Types with a capital that are nobody's surname, as `Long`, `Short` and `Money` are. */
export const isTypeOfName = (value: string): boolean =>
  /^(?:String|Str|Text|Int|Integer|Bool|Boolean|Float|Decimal|Numeric|Number|Any|AnyObject|Object|Optional|Option|Maybe|Nullable|Varchar|VARCHAR2?|NVARCHAR|CHAR|TEXT|INT|BIGINT|UUID|Uuid|Guid|DateTime|None|Null|NULL|Unknown|CharField|TextField|StringField)$/.test(
    value,
  )

/** What stands behind a type or a call and behind no value: `list[str]`, `Option<Handle>`, `std::string`, `Field(…)`. */
export const goesOnAsCode = (behind: string): boolean => /^(?:<(?!\/)|[[(]|::)/.test(behind)

const kept =
  "ids?|names?|e?mails?|counts?|types?|roles?|groups?|lists?|keys?|tokens?|data|info|status|state|urls?|agent|input|output|obj|object|service|repo|repository|table|schema|ref|uuid|hash|dto|entity|settings|profile|session|query|handler|manager|controller|view|form|fields?|params?|args?|index|path|dir|files?|config|options|context|address|phone|number|code|level|score|language|locale|permissions?|payload|provider|errors?|client|factory|builder|regex|href|callback|at"
/** `user_email`, `login_count`, `accountIds`: what programs keep of somebody. People are called `jane_doe`. */
const fieldNames: readonly RegExp[] = [
  new RegExp(`^[a-z][a-z\\d]*(?:_[a-z\\d]+)*_(?:${kept})$`, "i"),
  new RegExp(`^[a-z][A-Za-z\\d]*[a-z\\d](?:${kept.replaceAll(/(?<=^|\|)\p{Ll}/gu, (first) => first.toUpperCase())})$`),
]

export const isFieldName = (value: string): boolean => fieldNames.some((pattern) => pattern.test(value))

/** `i.e`, `e.g`, `a.k.a`, `z.B`: letters with dots, and what else is shortened in brackets. */
export const isAbbreviation = (value: string): boolean =>
  /^(?:\p{L}(?:\.\p{L}){1,3}|a\.?k\.?a|p\.ej|cf|viz|etc|resp|incl|bzw|usw|vgl|zzgl)\.?$/iu.test(value)
