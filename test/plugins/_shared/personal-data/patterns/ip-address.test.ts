import { expect, test } from "vitest"
import { partsBy } from "../../../../fakes/found-parts.ts"
import { findIpAddresses } from "../../../../../ts/plugins/_shared/personal-data/patterns/ip-address.ts"

const found = partsBy(findIpAddresses)

const value = "92.31.7.244"

test("addresses are found by words behind them and in lines of logs", () => {
  const cases = [
    ["the printer has 7.18.52.9 as its address", "7.18.52.9"],
    ["requests from 7.18.52.9", "7.18.52.9"],
    ["from 7.18.52.9 came 20 connections", "7.18.52.9"],
    ["7.18.52.9 sent 3000 packets", "7.18.52.9"],
    ["die Adresse 7.18.52.9 antwortet nicht", "7.18.52.9"],
    ["Zugriffe von 7.18.52.9", "7.18.52.9"],
    ['46.19.3.1 - - [02/Mar/2025:10:11:12 +0000] "GET / HTTP/1.1" 200', "46.19.3.1"],
    ["sshd[811]: Failed password for invalid user ann from 46.19.3.1 port 51022 ssh2", "46.19.3.1"],
    ["[UFW BLOCK] IN=eth0 SRC=46.19.3.1 LEN=60", "46.19.3.1"],
    ["2025-03-02 10:11:12 46.19.3.1 GET /index", "46.19.3.1"],
    ["2025/03/02 [error] 12#12: *4 open() failed, client: 46.19.3.1, server: _", "46.19.3.1"],
    ["Ban 46.19.3.1", "46.19.3.1"],
    ["Accepted publickey for ann from 46.19.3.1", "46.19.3.1"],
    ["ann,46.19.3.1,login", "46.19.3.1"],
    ["move it from 46.19.3.1 please", "46.19.3.1"],
    ["update the DNS record to 46.19.3.1", "46.19.3.1"],
    ["routing table 46.19.3.0/24", "46.19.3.0"],
    ["Host Hamburg 46.19.3.1", "46.19.3.1"],
    ["the shop in Hamburg 92.31.7.244", "92.31.7.244"],
    ["root@46.19.3.1", "46.19.3.1"],
  ] as const
  for (const [text, part] of cases) expect([text, ...found(text)]).toEqual([text, part])
})

test("versions, tables and colours are none", () => {
  const cases = [
    "kernel 6.1.0.140 hangs",
    "the host runs OpenSSH 9.2.15.101",
    "we use .NET 9.0.101.3",
    "PostgreSQL 14.2.120.1 on the server",
    "v 31.207.4.2",
    "v. 31.207.4.2",
    "31.207.4.2 released today",
    "31.207.4.2 is out now",
    "bump the base image to 46.19.3.1",
    "downgraded the package from 46.19.3.1",
    "upgraded the router firmware from 46.19.3.1",
    "running Chrome 46.19.3.1",
    "nginx 1.25.3.120",
    "Table 31.4.1.2",
    "see Abschnitt 31.4.1.2",
    "Fig. 31.4.1.2",
    "RGB 120.66.30.250",
    "rgba(120.66.30.250)",
    "OID 1.3.101.112",
    "https://a.example/#section-31.1.2.2",
    "versions 31.207.4.2",
  ] as const
  for (const text of cases) expect([text, ...found(text)]).toEqual([text])
})

test("hostile texts are read to their end", () => {
  for (const unit of [
    "1.2.3.4 is ",
    "Chrome 46.19.3.",
    "upgrade the chart from 46.19.3.1 ",
    "v 1.2.3.4 ",
    "from 1.2.3.4 came ",
    "aA 1.2.3.4 ",
    "from to ",
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    expect(found(`${text} ${value}`).at(-1)).toBe(value)
  }
})
