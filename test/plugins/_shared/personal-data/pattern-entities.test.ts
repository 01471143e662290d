import { awkwardTexts } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { finish } from "../../../../ts/kernel/host/work.ts"
import { loadNumberingPlans } from "../../../../ts/plugins/_shared/personal-data/numbering-plans.ts"
import { createPatternSearch, findingEntities } from "../../../../ts/plugins/_shared/personal-data/pattern-entities.ts"

const plans = await loadNumberingPlans()
const findPatternEntities = await createPatternSearch()

/** What is found, as `KIND text`. */
const found = (text: string): readonly string[] =>
  finish(findingEntities(text, plans)).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)

/** Without addresses of the web, which most others hold. */
const foundElse = (text: string): readonly string[] => found(text).filter((each) => !each.startsWith("DOMAIN_NAME "))

describe("e-mail addresses", () => {
  test("are found", () => {
    const cases = [
      ["write to ann.lee@example.com.", "ann.lee@example.com"],
      ["<o'brien+news@mail.example.co.uk>", "o'brien+news@mail.example.co.uk"],
      ["'ann@example.com'", "ann@example.com"],
      ["请发邮件到ann@example.com谢谢", "ann@example.com"],
      ["jürgen@müller.de", "jürgen@müller.de"],
      ["mailto:ann@example.com", "ann@example.com"],
      ["ann@example.com-thanks", "ann@example.com"],
      ["ann@xn--mller-kva.xn--p1ai", "ann@xn--mller-kva.xn--p1ai"],
      ["a..b.c@example.org", "b.c@example.org"],
      ["ann＠example.com", "ann＠example.com"],
      ["write to bob.smith﹫example.com.", "bob.smith﹫example.com"],
      ["𝐛𝐨𝐛@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦", "𝐛𝐨𝐛@𝐞𝐱𝐚𝐦𝐩𝐥𝐞.𝐜𝐨𝐦"],
      ["💌 ⓑⓞⓑ@example.com 💌", "ⓑⓞⓑ@example.com"],
      ["ann\u200b@exam\u00adple.com", "ann\u200b@exam\u00adple.com"],
      ["\u202aann@example.com\u202c", "ann@example.com"],
      ["jose\u0301@example.com", "jose\u0301@example.com"],
      ["m.desmet(at)kaaswinkel(dot)be", "m.desmet(at)kaaswinkel(dot)be"],
      ["write to ann [at] mail [dot] example [dot] org, please", "ann [at] mail [dot] example [dot] org"],
      ["ann{at}example.org.", "ann{at}example.org"],
      ["?mail=jane.roe%40gmail.com&x=1", "jane.roe%40gmail.com"],
      ["jane.roe&#64;gmail.com", "jane.roe&#64;gmail.com"],
      ["jane.roe&#064;gmail.com", "jane.roe&#064;gmail.com"],
      ["jane.roe&#x40;gmail.com", "jane.roe&#x40;gmail.com"],
      ["jane.roe&commat;gmail.com", "jane.roe&commat;gmail.com"],
    ] as const
    for (const [text, address] of cases) expect([text, ...found(text)]).toEqual([text, `EMAIL_ADDRESS ${address}`])
  })

  test("are not found where there are none", () => {
    const cases = [
      "ann@localhost",
      "npm i left-pad@1.3.0 @types/node@22.1.2",
      "icon@2x.png",
      "systemctl start pg_basebackup@main.timer",
      "@decorator.method",
      "ann@ example.com",
      "ann@-example-.com",
      "ann@example..com",
      "git clone git@github.com:ann/tool.git",
      "scp x ann@host.example.com:/srv/x",
      "rsync ann@host.example.com:backup/x",
      "ssh://ann@host.example.com/x",
      "x = a@b",
      "we meet (at) cinema.de",
      "f(at) and [at] x",
      "(at)example(dot)org",
      "ann(at)home",
      "100%40 of it",
      "git%40github.com",
      "a&#65;b.com and a&#640;b.com",
      "--pass-arg=imports@env.await_promise",
    ] as const
    for (const text of cases) expect([text, ...foundElse(text)]).toEqual([text])
  })
})

describe("payment cards", () => {
  test.each([
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "4111\t1111\t1111\t1111",
    "4111\n1111\n1111\n1111",
    "5555555555554444",
    "2223 0031 2200 3222",
    "3782 822463 10005",
    "378282246310005",
    "3056 930902 5904",
    "6011111111111117",
    "3530111333300000",
    "4111 1111 1111 1111 110",
    "4111  1111  1111  1111",
    "4111 - 1111 - 1111 - 1111",
    "4111.1111.1111.1111",
    "4111\u200b1111\u200b1111\u200b1111",
    "41\u00ad11 1111 1111 11\u200d11",
    "𝟒𝟏𝟏𝟏 1111 1111 1111",
    "٤١١١ ١١١١ ١١١١ ١١١١",
    "४१११-११११-११११-११११",
    "4111/1111/1111/1111",
    "4111😀1111😀1111😀1111",
    "4111👍🏽👍🏽1111👍🏽👍🏽1111👍🏽👍🏽1111",
    "4111\u28001111\u28001111\u28001111",
    "④①①①①①①①①①①①①①①①",
    "⁴¹¹¹ ¹¹¹¹ ¹¹¹¹ ¹¹¹¹",
    "❹➀➊⓵ 1111 1111 1111",
    "41\u{e0100}11 1111 1111 11\u{e01ef}11",
    "4111_1111_1111_1111",
    "4111&nbsp;1111&nbsp;1111&nbsp;1111",
    "4111&#160;1111&#160;1111&#160;1111",
  ])("%s", (number) => {
    expect(found(`Pay with ${number}, please.`)).toEqual([`CREDIT_CARD ${number}`])
    expect(found(`卡号${number}是`)).toEqual([`CREDIT_CARD ${number}`])
  })

  test("behind another number", () => {
    expect(found("2024,4111111111111111,12 Elm")).toEqual(["CREDIT_CARD 4111111111111111"])
    expect(found("1234 4111 1111 1111 1111")).toEqual(["CREDIT_CARD 4111 1111 1111 1111"])
    expect(found("2 4111 1111 1111 1111")).toEqual(["CREDIT_CARD 4111 1111 1111 1111"])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      ["a wrong check digit", "4111 1111 1111 1112"],
      ["a length that the network has not", "411111111111116"],
      ["a beginning that no network has", "1234567812345670"],
      ["the number of an order", "order number: 4111111111111111"],
      ["a tracking code", 'tracking_id="4111 1111 1111 1111"'],
      ["some of a column", "4111\n1111\n1111\n1111\n2048\n4096"],
      ["some of a row", "2048\t4111\t1111\t1111\t1111"],
      ["other groups", "41111 111 1111 1111"],
      ["mixed signs", "4111-1111 1111-1111"],
      ["more digits", "41111111111111110000"],
      ["a decimal", "0.4111111111111111"],
      ["a hash", "a4111111111111111f"],
      ["zeros", "0000000000000000"],
    ] as const
    for (const [, text] of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("bank accounts", () => {
  test("are found", () => {
    const cases = [
      "DE89 3704 0044 0532 0130 00",
      "DE89370400440532013000",
      "GB29NWBK60161331926819",
      "NL91-ABNA-0417-1643-00",
      "fr14 2004 1010 0505 0001 3m02 606",
      "NO9386011117947",
      "DE89  3704  0044  0532  0130  00",
      "DE89.3704.0044.0532.0130.00",
      "DE89\u200b3704\u200b0044053201\u200b3000",
      "MT84MALT011000012345MTLCAST001S",
    ] as const
    for (const number of cases)
      expect([number, ...found(`to ${number} today`)]).toEqual([number, `IBAN_CODE ${number}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      ["wrong check digits", "DE88 3704 0044 0532 0130 00"],
      ["a length of another country", "DE89 3704 0044 0532 0130"],
      ["a country without", "US89370400440532013000"],
      ["other groups", "DE893 70400440 532013000"],
      ["more letters", "DE89370400440532013000X"],
      ["letters in front", "XDE89370400440532013000"],
      ["the end of the text", "DE89"],
    ] as const
    for (const [, text] of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("social security numbers", () => {
  test("are found", () => {
    const cases = [
      ["mine is 536-22-8726.", "536-22-8726"],
      ["SSN: 536 22 8726", "536 22 8726"],
      ["social security number 536228726", "536228726"],
      ["536228726 is my SSN", "536228726"],
      ["社会安全号码536228726", "536228726"],
      ["they have my social (536 22 8726)", "536 22 8726"],
      ["my SSN is 536 - 22 - 8726", "536 - 22 - 8726"],
      ['{"socialSecurityNumber":"536 22 8726"}', "536 22 8726"],
    ] as const
    for (const [text, number] of cases) expect([text, ...found(text)]).toEqual([text, `US_SSN ${number}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      "536 22 8726",
      "536228726",
      "000-22-8726",
      "666-22-8726",
      "900-22-8726",
      "536-00-8726",
      "536-22-0000",
      "078-05-1120",
      "536-22-8726-1",
      "part A-536-22-8726",
      "1536-22-8726",
      "lesson 536228726",
      "order 536-22-8726",
      "536 - 22 - 8726",
      "my social media id 536228726",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("addresses of machines", () => {
  test("are found", () => {
    const cases = [
      ["from 203.0.113.77 again", "203.0.113.77"],
      ["http://192.168.0.1:8080/", "192.168.0.1"],
      ["192.168.10.0/24", "192.168.10.0"],
      ["It is 172.30.0.1.", "172.30.0.1"],
      ["10.0.0.5", "10.0.0.5"],
      ["10.20.30.40", "10.20.30.40"],
      ["5.101.2.3", "5.101.2.3"],
      ["ping 5.15.0.91", "5.15.0.91"],
      ["8.8.8.8", "8.8.8.8"],
      ["ping 1.2.3.4", "1.2.3.4"],
      ["1.2.3.4:443", "1.2.3.4"],
      ["2001:db8::1", "2001:db8::1"],
      ["[2001:db8:0:1::8a2e]:443", "2001:db8:0:1::8a2e"],
      ["2001:0db8:85a3:0000:0000:8a2e:0370:7334 is", "2001:0db8:85a3:0000:0000:8a2e:0370:7334"],
      ["fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"],
      ["at 2001:db8::1: refused", "2001:db8::1"],
      ["route 2001:db8:: via", "2001:db8::"],
    ] as const
    for (const [text, address] of cases) expect([text, ...found(text)]).toEqual([text, `IP_ADDRESS ${address}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      "version 203.0.113.77",
      "v4.0.30.42",
      "tool==1.22.3.40",
      "1.2.3.4",
      "section 4.10.12.3",
      "Linux 5.15.0.91",
      "tool 10.2.1.0",
      "1.22.3.40-beta",
      '"firmware": "2.11.12.70"',
      "upgrade from 5.10.5.90 to 5.10.5.91",
      "1.22.33.44.55",
      "300.1.1.1",
      "192.168.001.001",
      "255.255.255.0",
      "0.0.0.0",
      "curl 127.0.0.1:8080",
      "12:30:45",
      "2024:10:11 12:30",
      "aa:bb:cc:dd:ee:ff",
      "std::vector fd00::Name",
      "rows[2000::2]",
      "2001:db8:::1",
      "2001:db8:1:2:3:4:5",
      "2001:db8:1:2:3:4:5:6:7",
      "2001:db8::1::2",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("addresses of network hardware", () => {
  test("are found", () => {
    const cases = ["0c:80:33:28:5d:47", "50-B3-97-F6-46-6E", "0c80.3328.5d47"] as const
    for (const address of cases) expect(found(`the card ${address}, new`)).toEqual([`MAC_ADDRESS ${address}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      "12:30:45:11:22:33",
      "ff:ff:ff:ff:ff:ff",
      "0c:80:33:28:5d",
      "0c:80:33:28:5d:47:11",
      "0c:80-33:28:5d:47",
      "sha a0c8:0332:85d4",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("addresses of money", () => {
  test("are found", () => {
    const cases = [
      "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
      "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
      "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
      "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr",
      "0x52908400098527886E0F7030069857D2E4169EE7",
    ] as const
    for (const address of cases) expect(found(`send it to ${address}.`)).toEqual([`CRYPTO_ADDRESS ${address}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdp",
      "3aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
      "1111111111111111111114oLvT2",
      "0x0000000000000000000000000000000000000000",
      "0x52908400098527886E0F7030069857D2E4169EE",
      "/1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("keys of services", () => {
  /** In two parts, so that scanners of this repository do not take them for real ones. */
  const drawn = "R4nd0mT0kenV4lueThatIsLongEnough98zQ"
  test("are found", () => {
    const cases = [
      `AKIA${"Q3EGRIEK2UXHTWQ7"}`,
      `ghp_${drawn}`,
      `sk-proj-${"9Xk2LmQ8vR7tY5wZ1aKcPeFgH"}`,
      `xoxb-${"8842190337-K7dPqv2mLx"}`,
      `AIza${"SyD3k8Vq2LmX7pRt9WzB4nC6hJ0fGaUeY1s"}`,
      `eyJ${"hbGciOiJIUzI1NiJ9"}.eyJ${"zdWIiOiIxMjM0In0"}.${"dozjgNryP4J3jVmNHl0w5N"}`,
      "-----BEGIN RSA PRIVATE KEY-----",
      `https://hooks.slack.com/services/${"T03QK7WXZ2P/B05MD8RVL1J"}/${"q8ZtR2mLx7KpVw4YcN9sJd3H"}`,
      `xapp-${"1-A04QK7WXZ2P-5839201746352"}-${"9f3c1b7e5d2a8046".repeat(4)}`,
      `hf_${"YMSGaasEAPlhcwbrjlzbaibPBYigMmnYwV"}`,
      `hf_${"qkzwtphavxomrdjyelbnscgfuiqpwkzmtx"}`,
      `gsk_${drawn}${"K3m9Xw2LqT7vR5zY"}`,
      `xai-${drawn.repeat(2)}${"K3m9Xw2L"}`,
      `hvs.${"CAESIJ8mQ2xLw7KpVt4YcN9s"}`,
      `lin_api_${drawn}${"K3m9"}`,
      `key-${"3ax6xnjp29jd6fds4gc373sgvjxteol0".replaceAll(/[g-z]/g, "e")}`,
      `${"MTE4NzI5MzA0NTYxODI3MzY0"}.${"GxK2pQ"}.${"v8ZtR2mLx7KpVw4YcN9sJd3HfB6gTq1EaUoXiW"}`,
      `dop_v1_${"9f3c1b7e5d2a8046".repeat(4)}`,
      `ntn_${"58392017463"}${drawn.slice(1)}`,
      `secret_${drawn}${"K3m9Xw2"}`,
    ] as const
    for (const key of cases) expect(found(`use ${key} for now`)).toEqual([`API_KEY ${key}`])
  })

  test("are not found in placeholders and in what is too short", () => {
    const cases = [
      `AKIA${"IOSFODNN7EXAMPLE"}`,
      "sk-your-api-key-goes-here-now",
      `ghp_${"x".repeat(36)}`,
      "sk-learn-is-a-library-for-models",
      "SK12",
      "-----BEGIN PUBLIC KEY-----",
      "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
      "hf_YourHuggingFaceTokenGoesRightHereNow",
      "hf_hub_download and hf_transfer",
      "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",
      "NotABotTokenWithThisName1.Second.AndThenSomeMoreOfThePath1",
      "key-value and key-9f3c1b7e",
    ] as const
    for (const text of cases) expect([text, ...foundElse(text)]).toEqual([text])
  })
})

describe("assigned secrets", () => {
  const drawn = `${"k7Qm2Xv9"}${"Lp4Rt8Wz6Bn1Yc3D"}`
  test("are found behind names of keys", () => {
    const cases = [
      [`AWS_SECRET_ACCESS_KEY=${"a/9Kd2"}+${drawn}+x7Lq`, `${"a/9Kd2"}+${drawn}+x7Lq`],
      [`export STRIPE_SECRET="${drawn}"`, drawn],
      [`  clientSecret: ${drawn}`, drawn],
      [`{"user":1,"api_key":"${drawn}"}`, drawn],
      [`{\\"token\\":\\"${drawn}\\"}`, drawn],
      [`auth-token = '${drawn}'`, drawn],
      [`const apiKey = \`${drawn}\``, drawn],
      [`<token>${drawn}</token>`, drawn],
      [`?api_key=${drawn}&page=2`, drawn],
      [`X-Api-Key: ${drawn}`, drawn],
      [`-H 'Authorization: Bearer ${drawn}'`, drawn],
      [`Authorization: token ${drawn}`, drawn],
      [`deploy --token ${drawn}`, drawn],
      [`api key ${"8f1c2aab71e0d4c9"}${"3d1f7a60b22e9d0c"}`, "8f1c2aab71e0d4c93d1f7a60b22e9d0c"],
      [`the access token is "${drawn}", I think`, drawn],
      [`my token is: ${drawn}`, drawn],
    ] as const
    for (const [text, key] of cases) expect([text, ...found(text)]).toEqual([text, `API_KEY ${key}`])
  })

  test("are found behind names of passwords, and on command lines", () => {
    const cases = [
      ["DB_PASS=hunter2", "hunter2"],
      ["export PGPASSWORD=Tr0ub4dor psql", "Tr0ub4dor"],
      ["spring.datasource.password=Qw3rty!9", "Qw3rty!9"],
      ["Server=a;Password=Qw3rty!9;Db=x", "Qw3rty!9"],
      ['{"a":{"password":"Winter24"}}', "Winter24"],
      ['dbPassword = "hunter2x"', "hunter2x"],
      ["smtp_pass: kZ9#kf", "kZ9#kf"],
      ["db:\n  pass: kZ9#kf", "kZ9#kf"],
      ["export PASS=hunter2", "hunter2"],
      ["password: 482913", "482913"],
      ["<pwd>Hunter22</pwd>", "Hunter22"],
      ["mysql -u root -pS3cr3tPw db", "S3cr3tPw"],
      ["mysqldump --password Winter24! x", "Winter24!"],
      ["sshpass -p 'Geheim99' ssh host", "Geheim99"],
      ["curl -s \\\n  -u ann:s3cr3tpw host", "s3cr3tpw"],
      ["machine host\n  login ann\n  password kj3h4kjh\n", "kj3h4kjh"],
      [`Authorization: Basic ${btoa("ann:Qw3rty!9")}`, btoa("ann:Qw3rty!9")],
      ["Das Passwort lautet: Sommer2024!", "Sommer2024!"],
      ["the wifi password in the break room is Tr0mmelwirbel-88", "Tr0mmelwirbel-88"],
      ["das Passwort für das WLAN im Büro ist Sommer2024.", "Sommer2024"],
    ] as const
    for (const [text, password] of cases) expect([text, ...found(text)]).toEqual([text, `PASSWORD ${password}`])
  })

  test("are not found in code, in placeholders and in what is no secret", () => {
    const cases = [
      "password = get_password()",
      "password = password1",
      "login(user, password=pw2, x=1)",
      "password: process.env.DB_PASS2",
      "password: sha256",
      "password?: string",
      "token: string",
      "token: Uint8Array",
      "api_key: AccountCreateResponse.APIKey | null",
      "const token = await fetchToken()",
      "secretKey: z.string().min(8)",
      '"password": "required"',
      "PASSWORD=changeme",
      "PASSWORD=${PASSWORD}",
      "password: !vault abc1",
      "USERNAME_PASSWORD: 0x02,",
      "API_KEY=your-api-key-goes-here-1a2b3c",
      "API_KEY=<paste-1a2b3c4d5e6f7g8h>",
      "secret: ${{ secrets.GH_T0KEN }}",
      "secret: my-app-secret-v1",
      "private_key: ./keys/id_ed25519",
      "max_tokens=1024",
      "tokens: 4096",
      'next_page_token: ""',
      `next_page_token: "${drawn}"`,
      `"integrity": "sha512-${drawn}=="`,
      `image@sha256:${"9f3c1b7e5d2a8046".repeat(4)}`,
      "PWD=/home/ann/a1",
      "bypass: v2x",
      "first pass: O(n^2)",
      "Authorization: Bearer <token>",
      "Authorization: Bearer $TOKEN",
      "Authorization: Bearer YOUR_TOKEN",
      "basic understanding of it",
      `Authorization: Basic ${btoa("user:password")}`,
      "docker run -p 8080:80 -u 1000:1000 node18",
      "mkdir -p src/a1",
      "curl -u $USER:$PASS2 host",
      `the commit token: ${"9f3c1b7e5d2a8046".repeat(2)}9f3c1b7e`,
      "the api key is in the file config-of-production",
      "api key for user authentication in version 2.0",
      "the password for the second account is sha256 hashed",
      "the password of every user is long",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("numbers of persons", () => {
  test("are found where their check digits fit", () => {
    const cases = [
      ["CF RSSMRA85T10A562S", "RSSMRA85T10A562S"],
      ["NIR 1 85 05 78 006 084 91", "1 85 05 78 006 084 91"],
      ["185057800608491", "185057800608491"],
      ["1 73 01 2A 004 018 06", "1 73 01 2A 004 018 06"],
      ["mi DNI es 48120937S", "48120937S"],
      ["20457781-V", "20457781-V"],
      ["NIE X9274618Y", "X9274618Y"],
      ["529.982.247-25", "529.982.247-25"],
      ["CPF 52998224725", "52998224725"],
      ["2341 2341 2346", "2341 2341 2346"],
      ["811218-9876", "811218-9876"],
      ["19811218-9876", "19811218-9876"],
      ["NHS number 943 476 5919", "943 476 5919"],
      ["my bsn is 111222333", "111222333"],
      ["Steuer-ID: 86 095 742 719", "86 095 742 719"],
      ["IdNr 47036892816", "47036892816"],
      ["SIN 534 218 870", "534 218 870"],
      ["his social insurance number is 534-218-870", "534-218-870"],
      ["Her TFN is 457 183 266", "457 183 266"],
      ["medicare card number 2951 63847 1", "2951 63847 1"],
      ["Medicare 2951638401", "2951638401"],
      ["Reisepassnummer C01X00T47", "C01X00T47"],
      ["Reisepassnummer: C01X00T47", "C01X00T47"],
      ["numéro de passeport 14AB56789", "14AB56789"],
      ["sort code 60-16-13 account 41926388", "41926388"],
      ["account number 41926388, sort code: 601613", "41926388"],
      ["IMEI: 490154203237518", "490154203237518"],
      ["the VIN is 1M8GDM9AXKP042788", "1M8GDM9AXKP042788"],
    ] as const
    for (const [text, number] of cases) expect([text, ...found(text)]).toEqual([text, `ID ${number}`])
  })

  test("are not found where they do not fit, or nothing says what a weak form is", () => {
    const cases = [
      "RSSMRA85T10A562T",
      "1 85 05 78 006 084 92",
      "order number 185057800608491",
      "48120937T",
      "529.982.247-26",
      "52998224725",
      "2341 2341 2347",
      "2341 2341 2346 1111",
      "2020 2021 2022",
      "811218-9875",
      "811318-9876",
      "20240115-1205",
      "943 476 5919",
      "111222333",
      "86095742719",
      "ISBN 978-3-16-148410-0",
      "20240115T120000Z",
      "SIN 534 218 871",
      "534 218 870",
      "sin 534 218 870",
      "TFN 457 183 267",
      "2951 63847 1",
      "Medicare 2951638471",
      "sort code 60-16-13",
      "my account 41926388",
      "IMEI 490154203237519",
      "order 490154203237518",
      "VIN 1M8GDM9A1KP042788",
      "1M8GDM9AXKP042788",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("addresses of the web", () => {
  test("are found", () => {
    const cases = [
      ["see https://www.shop.example/a?b=1.", "https://www.shop.example/a?b=1"],
      ["(www.müller.de)", "www.müller.de"],
      ["shop.example.com, for instance", "shop.example.com"],
      ["xenvia.example/nagy1756;", "xenvia.example/nagy1756"],
    ] as const
    for (const [text, address] of cases) expect([text, ...found(text)]).toEqual([text, `DOMAIN_NAME ${address}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      "file.py and index.js",
      "It ends.Then it goes on",
      "e.g. this",
      "Node.js",
      "a.b",
      "user.name = x",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

test("addresses of the armed forces are found", () => {
  const cases = [
    "PSC 3294, Box 9168\nAPO AA 61487",
    "Unit 4719 Box 7394\nDPO AP 70942-1234",
    "USNS Bergman\nFPO AP 93757",
  ]
  for (const address of cases) expect(found(`return to ${address}.`)).toEqual([`STREET_ADDRESS ${address}`])
  for (const text of ["Unit 5 Box 3", "APO AE 12345", "USS Enterprise in orbit"])
    expect([text, ...found(text)]).toEqual([text])
})

describe("telephone numbers", () => {
  test("are found", () => {
    const cases = [
      ["+49 30 901820", "+49 30 901820"],
      ["+49 (0)30 901820-12", "+49 (0)30 901820-12"],
      ["(+44) 20 7946 0958", "(+44) 20 7946 0958"],
      ["+14155550132", "+14155550132"],
      ["+1 (415) 555-0132 ext. 12", "+1 (415) 555-0132 ext. 12"],
      ["+1 415 555 0132 2 times", "+1 415 555 0132"],
      ["+81‑3‑1234‑5678", "+81‑3‑1234‑5678"],
      ["(415) 555-0132", "(415) 555-0132"],
      ["(415)-555-0132", "(415)-555-0132"],
      ["my number is 415-555-0132", "415-555-0132"],
      ["+49\u200b30\u200b901820", "+49\u200b30\u200b901820"],
      ["+1.4155550132", "+1.4155550132"],
      ["Phone: 030 901820", "030 901820"],
      ["phone:5550132 is", "5550132"],
      ["my mobile number is 0171 2345678.", "0171 2345678"],
      ["Tel. 0049 30 901820", "0049 30 901820"],
      ["call me at 415-555-0132", "415-555-0132"],
      ["Teléfono 91 123 45 67", "91 123 45 67"],
      ["电话：１３８１２３４５６７８", "１３８１２３４５６７８"],
      ["call Rui Saraiva on 210 322 386", "210 322 386"],
      ["Elm Street 5\nT 030 901820", "030 901820"],
      ["मेरा फोन 04 223 5378 है", "04 223 5378"],
      ["415-555-0132", "415-555-0132"],
      ["write to 0171 2345678", "0171 2345678"],
      ["020 7946 0958 is mine", "020 7946 0958"],
      ["06 12 34 56 78", "06 12 34 56 78"],
      ["Phone:\n71-33-52-22", "71-33-52-22"],
      ["They're not answering at 78 651 450", "78 651 450"],
      ["call me at 0494 92 82 32 today", "0494 92 82 32"],
      ["Fax: 345-899-3560x4587", "345-899-3560x4587"],
      ["{emergency_phone: '13919293262'}", "13919293262"],
      ["телефон 8 (495) 123-45-67", "8 (495) 123-45-67"],
    ] as const
    for (const [text, number] of cases) expect([text, ...found(text)]).toEqual([text, `PHONE_NUMBER ${number}`])
  })

  test("are not found in what only looks like one", () => {
    const cases = [
      "What is 2 + 2?",
      "4155550132",
      "order 415-555-0132",
      "order 4155550132",
      "415 555 0132 beans",
      "01 02 03 04 05",
      "12 345 678 901 km",
      "ISBN 0-306-40615-2",
      "0.5 0.25 0.125",
      "1-800 and 2-900",
      "from 01-01-2020 to 31-12-2020",
      "version 10.15.7.1234",
      "34 629 402 877",
      "17:30 - 18:45 on 04/05/2026",
      "phone order number 41555501",
      "+2024-01-15",
      "+500000000 views",
      "+1 015 555 0132",
      "+999 1234567",
      "at +40.6892-074.0445",
      "+40.689247,-74.044502",
      "Tel Aviv 1948 1967 1973",
      "10/Oct/2000:13:55:36 +0200 2326 1234",
      "a phone costs $12345678",
      "I have a phone since 2019-05-17",
      "the phone, bought on 17.05.2019",
      "phone: 0000000000",
      "failed\tcall back\t4428621",
      "call it a day",
      "phone 12345",
      "a+4930901820",
      "1700000000000",
      "0.12345678901",
      "(115) 555-0132",
      "Boston, MA 02110-1301, USA",
      "Boston, MA\n# 02111-1307",
    ] as const
    for (const text of cases) expect([text, ...found(text)]).toEqual([text])
  })
})

describe("addresses with a password", () => {
  test("are found", () => {
    const cases = [
      ["use postgres://ann:hunter2@db.example.com:5432/shop.", "hunter2"],
      ["(https://ann:s3cr%21t@example.com)", "s3cr%21t"],
      ["redis://:monkey@cache:6379", "monkey"],
      ["mongodb+srv://a:b1@c.example/d?x=1#y", "b1"],
      ["amqp://worker:kZ9@fq7@queue.example.com", "kZ9@fq7"],
    ] as const
    for (const [text, password] of cases) expect([text, ...foundElse(text)]).toEqual([text, `PASSWORD ${password}`])
  })

  test("are not found where there are none", () => {
    const cases = [
      "https://example.com/a:b",
      "https://ann@example.com/",
      "postgres://postgres:postgres@localhost/db",
      "postgres://user:password@db.example.com/db",
      "https://ann:${TOKEN}@example.com",
      "https://ann:$TOKEN@example.com",
      "https://ann:API_TOKEN@example.com",
      "https://ann:***@example.com",
      "://a:b1@c",
    ] as const
    for (const text of cases) expect([text, ...foundElse(text)]).toEqual([text])
  })

  test("do not hide what stands in the path", () =>
    expect(found("https://ann:hunter2@db.example.com/x?ssn=123-45-6789&mail=ann@x.org")).toEqual([
      "PASSWORD hunter2",
      "US_SSN 123-45-6789",
      "EMAIL_ADDRESS ann@x.org",
    ]))

  test("stand apart from each other", () => {
    expect(found("a://b:c1@d,e://f:g1@h i://j:k1@l")).toEqual(["PASSWORD c1", "PASSWORD g1", "PASSWORD k1"])
  })
})

test("what is no personal data is not found", () => {
  const cases = [
    "1e10fa2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f",
    "550e8400-e29b-41d4-a716-446655440000",
    "2024-05-17T12:30:45.123456Z",
    "17.05.2019, 5/17/2019 and 20190517",
    "ISBN 978-3-16-148410-0",
    "3.14159265358979323846",
    "1,234,567,890,123,456",
    "INC0012345, PO 123456, WEB1234-5678",
    "x = [1, 22, 333, 4444, 55555, 666666]",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("several stand in the order of the text, each with probability 1", async () => {
  const text = "ann@example.com, +49 30 901820, 203.0.113.77 and 4111 1111 1111 1111"
  expect(await findPatternEntities(text)).toEqual([
    { kind: "EMAIL_ADDRESS", start: 0, end: 15, probability: 1 },
    { kind: "PHONE_NUMBER", start: 17, end: 30, probability: 1 },
    { kind: "IP_ADDRESS", start: 32, end: 44, probability: 1 },
    { kind: "CREDIT_CARD", start: 49, end: 68, probability: 1 },
  ])
})

test("what is spelled in tag characters, which show nothing, is found at its place", async () => {
  const tagged = Array.from("4111 1111 1111 1111", (sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0))).join(
    "",
  )
  expect(await findPatternEntities(`hi ${tagged}`)).toMatchObject([{ kind: "CREDIT_CARD", start: 3 }])
})

test("the raised number of a footnote does not hide the number before it", () =>
  expect(found("paid with 4111111111111111¹.")).toEqual(["CREDIT_CARD 4111111111111111"]))

test("the surer one of two kinds stands alone", () => {
  expect(found("Phone: 4111 1111 1111 1111")).toEqual(["CREDIT_CARD 4111 1111 1111 1111"])
  expect(found("ann:hunter2@db.example.com")).toEqual(["EMAIL_ADDRESS hunter2@db.example.com"])
  expect(found("https://ann:hunter2@db.example.com")).toEqual(["PASSWORD hunter2"])
})

test("places hold beside astral characters and full-width signs", () => {
  expect(found("👩‍👩‍👧 ４１１１　１１１１　１１１１　１１１１ 👍")).toEqual([
    "CREDIT_CARD ４１１１　１１１１　１１１１　１１１１",
  ])
})

test("no sign that a page does not show hides a value", () => {
  for (const sign of [
    "\ufff9",
    "\u{e0001}",
    "\u{1d173}",
    "\u{1bca0}",
    "\u17b4",
    "\u007f",
    "\u0090",
    "\0",
    "\u3164",
    "\u2800",
    "\u034f",
  ])
    for (const value of ["ann@corp-mail.com", "4111 1111 1111 1111"]) {
      const hidden = Array.from(value).join(sign)
      expect([sign, found(`to ${hidden} today`).map((one) => one.slice(one.indexOf(" ") + 1))]).toEqual([
        sign,
        [hidden],
      ])
    }
})

test("unseen signs part words too, as they do in some scripts", () => {
  expect(found("call\u200b+4930901820\u200btoday")).toEqual(["PHONE_NUMBER +4930901820"])
  expect(found("👍\u200bann@example.com\u200b, 4111\u200b1111\u200b11111111 and +4930901820")).toEqual([
    "EMAIL_ADDRESS ann@example.com",
    "CREDIT_CARD 4111\u200b1111\u200b11111111",
    "PHONE_NUMBER +4930901820",
  ])
})

test.each(awkwardTexts.map((text) => [text.slice(0, 20), text]))("nothing is found in %j", async (_, text) =>
  expect(await findPatternEntities(text)).toEqual([]),
)

// A million characters, the most that guards read, would take an hour if the time grew with the square of the length. They
// are read in one go: in slices a guard has a limit of time, which a busy machine may reach.
describe("hostile texts are read to their end", () => {
  test.each([
    "1",
    ".",
    "1.",
    "1 ",
    "1-",
    "(1",
    "+1",
    "+1 234 ",
    "+1 2 3 4 5 6 7 8 9 ",
    "phone 1 ",
    "1234 ",
    "1234-",
    "123-45-",
    "255.",
    "1.2.3.4 ",
    "a",
    "@",
    "a@",
    "a@a.",
    ".@",
    "://",
    "a://",
    "a://b:",
    "a://b:c@d",
    "a://b:c@d@",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n",
    "a1~8Q~",
    "?sig=a1",
    "born ",
    "born 1.1.",
    "a *12.04.1987",
    "12.04.1987 geb",
    "changed password from a1 to ",
    "password for a to ",
    "net use a ",
    "PIN for a ",
    "密码是",
    "name,phone\n1,2\n",
    ":",
    "2001:",
    "fe80::",
    "DE89",
    "DE89 ",
    "aa11 aa11-",
    "call ",
    "1\u200b",
    "\u200b",
    "𝟒",
    "１ ",
    "\ufdfa",
    "a\u0301",
    "+1 212 555 0123 ",
    "www.",
    "a.com/",
    "a.b.",
    "http://a",
    "sk-",
    "sk-a1b2",
    "eyJa.",
    "eyJabcdefghijk.eyJ",
    "0c:",
    "0c:80:33:28:5d:47:",
    "0xab",
    "1Bv",
    "bc1q",
    "-----BEGIN ",
    "user: ",
    "password a1",
    "age; zip; user\n",
    "Ssn;Age;\n1;2;\n",
    "employee id ",
    "{'age': ",
    "user(",
    "password:",
    "passport1",
    "driver license1",
    "password='",
    "PASSWORD=a1b2c3 ",
    "token=",
    "token=aA",
    "token:'a1",
    "api_key=>",
    "<password>",
    "Bearer ",
    "bearer a1b2c3d4e5f6g7h8 ",
    "basic aaaaaaaa ",
    " -p a1b2",
    " -u a:b1c2",
    "login a password ",
    "hvs.",
    "MTIz.",
    "RSSMRA85",
    "2341 2341 ",
    "811218-9876",
    "bsn 943 476 ",
    "(at)",
    "a(at)b(dot)",
    "4111&nbsp;",
    "4111%20",
    "4111, ",
    "4111 | ",
    "4111+",
    "4539148803436467EUR",
    "a%40",
    "a&#64;",
    "a&commat;b.",
    "login of a b is c / ",
    "PIN meiner a b ist ",
    "Passwort meines a ",
    "user (",
    "password in a b ",
    "api key is ",
    "sort code 1-",
    "sort code 60-16-13 account ",
    "account 1",
    "imei 490154203237519 ",
    "vin 1M8GDM9A",
    "a,b,dob\n1,2,3\n",
  ])("of %j", (unit) => {
    const text = `${unit.repeat(Math.ceil(1_000_000 / unit.length))} ann@example.com`
    expect(found(text).at(-1)).toBe("EMAIL_ADDRESS ann@example.com")
  })
})

test("a long text is searched in slices, with the same result", async () => {
  const text = "call +1 212 555 0123 or ann@example.com. ".repeat(2000)
  const searched = findPatternEntities(text)
  expect(searched).toBeInstanceOf(Promise)
  expect(await searched).toEqual(finish(findingEntities(text, plans)))
  expect(await searched).toHaveLength(4000)
})
