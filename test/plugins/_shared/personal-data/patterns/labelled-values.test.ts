import { describe, expect, test } from "vitest"
import { finish } from "../../../../../ts/kernel/host/work.ts"
import { findLabelledValues } from "../../../../../ts/plugins/_shared/personal-data/patterns/labelled-values.ts"

const found = (text: string): readonly string[] =>
  finish(findLabelledValues(text)).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)

test("values behind their labels are found, in forms and in code", () => {
  const cases = [
    ["const c = { zipCode: '82153', alter: '62' }", "ZIP_CODE 82153", "AGE 62"],
    ["{ userName: 'jokomwangi', password: 'Falcon5613??' }", "USERNAME jokomwangi", "PASSWORD Falcon5613??"],
    ["<th>Driving licence</th><td>A287-7270-8685</td>", "US_DRIVER_LICENSE A287-7270-8685"],
    ["Surname: Mori\nPatient id: 46-74-26", "PERSON Mori", "ID 46-74-26"],
    ["\ndirección: '147-2 Gül Sokak, Kayseri'", "STREET_ADDRESS 147-2 Gül Sokak, Kayseri"],
    ["\nDate of birth: 1994-12-21", "BIRTH_DATE 1994-12-21"],
    ["\nuser: lily.ross", "USERNAME lily.ross"],
    ['{"username": "lily.ross", "role": "admin"}', "USERNAME lily.ross"],
    ["{ user_name: 'jane_doe', age: 41 }", "USERNAME jane_doe", "AGE 41"],
    ["<th>First name</th><td>Päivi</td>", "PERSON Päivi"],
    ["Surname: Long", "PERSON Long"],
    ["the user (lily.ross) called", "USERNAME lily.ross"],
  ] as const
  for (const [text, ...values] of cases) expect([text, ...found(text)]).toEqual([text, ...values])
})

test("values in columns are found below their labels", () => {
  expect(found("Last name;First name;Ssn;Part\nMori;Takashi;793 98 1923;A4\nSun;Fang;897 12 7328;B2")).toEqual([
    "PERSON Mori",
    "PERSON Takashi",
    "US_SSN 793 98 1923",
    "PERSON Sun",
    "PERSON Fang",
    "US_SSN 897 12 7328",
  ])
  expect(found("first,last,dob\nAnselm,Reuter,1962-03-04\nHugo,Brandl,12.11.1980")).toEqual([
    "PERSON Anselm",
    "PERSON Reuter",
    "BIRTH_DATE 1962-03-04",
    "PERSON Hugo",
    "PERSON Brandl",
    "BIRTH_DATE 12.11.1980",
  ])
  expect(found("name,mobile\nJonas Ott,4087361925\nEva Lind,+46 8 7361 925")).toEqual([
    "PHONE_NUMBER 4087361925",
    "PHONE_NUMBER +46 8 7361 925",
  ])
  expect(found("name;dob\nJonas;3 Sep 1979")).toEqual(["PERSON Jonas", "BIRTH_DATE 3 Sep 1979"])
  expect(
    found("| User | Passport no | Total |\n|---|---|---|\n| e.peretz | Z26936G12 | 89 |\n\nand 1 | 2 | 3"),
  ).toEqual(["USERNAME e.peretz", "ID Z26936G12"])
})

test("values in sentences are found behind words that say what they are", () => {
  const cases = [
    ["api user narine.grigoryan with pw Monkey449! was there", "USERNAME narine.grigoryan", "PASSWORD Monkey449!"],
    ["my password is 'Tr0ub4dor&3', sorry", "PASSWORD Tr0ub4dor&3"],
    ["das Passwort lautet Sommer2024.", "PASSWORD Sommer2024"],
    ["employee id 264790, badge lost", "ID 264790"],
    ["passport R9590164", "ID R9590164"],
    ["refund to account 2989-722023-33 please", "ID 2989-722023-33"],
    ["TODO(malee_w68): ask", "USERNAME malee_w68"],
    ["I am 41 years old", "AGE 41"],
    ["my 5-year-old", "AGE 5"],
    ["I'll turn 80.", "AGE 80"],
  ] as const
  for (const [text, ...values] of cases) expect([text, ...found(text)]).toEqual([text, ...values])
})

describe("nothing is found", () => {
  test.each([
    "What is 2 + 2?",
    "user: Okay. They all sound good\nassistant: Fine",
    "a good user experience. It has",
    "password: ********",
    "password: your_password_here",
    "password = get_password()",
    "password: process.env.DB_PASS2",
    "the password must have 8 characters",
    '{"username": "<username>", "password": "${PASSWORD}"}',
    "SELECT name FROM users WHERE age > 30;",
    "CREATE TABLE people (first_name TEXT, age INT, zip TEXT);",
    "name: sa-plan",
    "turn 90 degrees",
    "order number 264790",
    "customer: Acme 2000",
    "login page.html",
    "pub const PACKET_USER: u32 = 6; user: uint32_t",
    "how do I handle utf8 in python",
    "user v2.1 gets an error",
    "login form2 is broken",
    "TODO fix2 later",
    "beef aged 45 days",
    "store the password sha256 hashed",
    "a | b | c\n1 | 2 | 3",
    "address: see below",
    "// TODO(BREAKING_CHANGE): remove in v3",
    "{ username: config.user }",
    "struct File { handle: Option<RawHandle> }",
    'username = "orders_admin"',
    'User.create!(name: "Ann", password: "password123")',
    "username: process.env.DB_USER",
    "username: request.body.username",
    "user: body.user, tokens",
    "{ user: user.user_id }",
    "await client.login(ELEM_PSW)",
    "first,last,total\nMon,Fri,5",
    "phone,weight\nPixel 8,187\n2024-01-15,9",
    "phone,code\n1111111111,9",
    "user,total\nann1,5",
    "def get_user(user_id: int): pass",
    "def get_user(user_id: int) -> User:\n    return session.query(User)",
    "user(john_doe) and login(user.name)",
    "def f(user_name: str, age: int): ...",
    "class A:\n  handle: any\n  login: bool = False\n  user_name: Optional[str] = None",
    "fn login(user_name: &str, password: &str) -> Result<User> {",
    "fun find(userName: string): User?",
    "username: uuid\nlogin: varchar(40)\nhandle: bytes",
    "username: NonEmptyString;",
    "first_name: Optional[str]\nlast_name: Varchar",
    "customer_id: uint256, account_id: int128",
    "{ user_id: 'user_id' }",
    '{ login: "phone" | "mail" }',
    "the user (i.e. writing a new file), the user (e.g. an agent) and the user (a.k.a. owner) at 5",
    "the user (i.e: x), der Nutzer (z.B. Ann)",
    "login: see docs, 5",
    "address = address.slice(0, zoneIndex)",
    '{"PS":"599123456","PT":"912345678","PW":"6201234"}',
  ])("in %j", (text) => expect(found(text)).toEqual([]))
})

test("a column of devices is none of telephones", () => {
  expect(found("Month,Desktop,Mobile\nJan,1200000,3400000")).toEqual([])
  expect(found("cell,reads\n1048577,3")).toEqual([])
})
