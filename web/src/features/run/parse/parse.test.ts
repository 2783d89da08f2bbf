import { describe, expect, it } from "vitest";
import { parseGrid, parseNumbers } from "./columns";
import { parseDecimal } from "./decimal";
import { formatDuration, parseDuration } from "./duration";
import { parseJson } from "./json";
import { formatMoment, parseDate, parseDateTime, parseTime } from "./moment";
import { formatNumber, parseNumber, roundStep, stepped } from "./number";

const REFUSED = { problem: expect.any(String) };

describe("parseNumber", () => {
  it.each([
    ["1e-8", 1e-8],
    ["2.5e3", 2500],
    [".5", 0.5],
    ["5.", 5],
    ["1_000", 1000],
    ["−5", -5],
    ["6.02×10²³", 6.02e23],
    ["2·10^-3", 2e-3],
  ])("understands %s", (text, value) => expect(parseNumber(text)).toEqual({ value }));

  it.each(["", "1e", "1,5", "1 2", "0x10", "nan", "∞", "1e400", "1e-400", "1__0", "_1", "1e5.5", "１"])(
    "refuses %s",
    (text) => expect(parseNumber(text)).toEqual(REFUSED),
  );

  it.each([
    ["1e3", 1000],
    ["1.0", 1],
    ["12.50e1", 125],
  ])("understands the whole number %s", (text, value) => expect(parseNumber(text, true)).toEqual({ value }));

  it.each(["1.5", "1e-1", "1.00000000000000000001", "9007199254740993"])(
    "does not round %s to a whole number",
    (text) => expect(parseNumber(text, true)).toEqual(REFUSED),
  );

  it("reads back what it writes", () => {
    for (const value of [0, -0.5, 1e-8, 123456.789, 1e21, 5e-324, 1.7976931348623157e308])
      expect(parseNumber(formatNumber(value))).toEqual({ value });
  });
});

describe("stepped", () => {
  it("stays within the limits", () => {
    expect(stepped(4, 1, { maximum: 5 }, true)).toBe(5);
    expect(stepped(5, 1, { maximum: 5 }, true)).toBe(5);
    expect(stepped(1, -1, { exclusiveMinimum: 0 }, true)).toBe(1);
  });

  it("fits the size of the number", () => {
    expect(stepped(1e-8, 1, {}, false)).toBe(1.1e-8);
    expect(stepped(0.3, 1, { minimum: 0, maximum: 1 }, false)).toBe(0.31);
  });

  it("is 1, 2 or 5 times a power of ten", () => {
    expect([0.011, 0.03, 7, 0.05].map(roundStep)).toEqual([0.01, 0.02, 5, 0.05]);
  });
});

describe("parseDecimal", () => {
  it("sends as text what a number would round", () => {
    expect(parseDecimal("1.5")).toEqual({ value: 1.5 });
    expect(parseDecimal("0.12345678901234567890")).toEqual({ value: "0.12345678901234567890" });
    expect(parseDecimal("x")).toEqual(REFUSED);
  });
});

describe("parseNumbers", () => {
  it.each(["1 2 3", "1, 2, 3", "1;2;3", "1\n2\n3", "1\t2\t3", "[1, 2, 3]", " 1,2,3\n"])(
    "understands %j",
    (text) => expect(parseNumbers(text)).toEqual({ value: [1, 2, 3] }),
  );

  it.each(["1, two", "1,000", "1,,2", "1,5; 2,5"])("refuses %j", (text) =>
    expect(parseNumbers(text)).toEqual(REFUSED),
  );
});

describe("parseGrid", () => {
  it.each(["1 2\n3 4", "1,2\r\n3,4\r\n", "1\t2\n3\t4", "[[1, 2], [3, 4]]"])("understands %j", (text) =>
    expect(parseGrid(text)).toEqual({
      value: [
        [1, 2],
        [3, 4],
      ],
    }),
  );

  it("names the row", () =>
    expect(parseGrid("1 2\n3 x")).toEqual({ problem: expect.stringContaining("row 2") }));
});

describe("parseDuration", () => {
  it.each([
    ["2h 30m", "PT2H30M"],
    ["2h30min", "PT2H30M"],
    ["90 s", "PT1M30S"],
    ["1.5 days", "P1DT12H"],
    ["500ms", "PT0.5S"],
    ["1:30:00", "PT1H30M"],
    ["-1 week", "-P7D"],
    ["PT2H", "PT2H"],
    ["0s", "PT0S"],
    ["1 day, 2:03:04", "P1DT2H3M4S"],
  ])("understands %s", (text, value) => expect(parseDuration(text)).toEqual({ value }));

  it.each(["90", "soon", "2h 30", "1h -2m", "P", "PT", "1ns", "1e9 weeks"])("refuses %s", (text) =>
    expect(parseDuration(text)).toEqual(REFUSED),
  );

  it("is written as it is typed", () => {
    expect(["PT2H30M", "P1DT0.25S", "PT0S", "-PT5M"].map(formatDuration)).toEqual([
      "2h 30m",
      "1d 0.25s",
      "0s",
      "-5m",
    ]);
  });
});

describe("dates and times", () => {
  it("are understood with or without seconds, zone and T", () => {
    expect(parseDate("2027/5/31")).toEqual({ value: "2027-05-31" });
    expect(parseTime("7:05")).toEqual({ value: "07:05:00" });
    expect(parseDateTime("2027-05-31 14:30")).toEqual({ value: "2027-05-31T14:30:00" });
    expect(parseDateTime("2027-05-31T14:30:01.5+0200")).toEqual({ value: "2027-05-31T14:30:01.5+02:00" });
    expect(parseDateTime("2027-05-31 14:30 UTC")).toEqual({ value: "2027-05-31T14:30:00Z" });
  });

  it.each(["2027-02-29", "31.5.2027", "2027-13-01", "today"])("refuse %s", (text) =>
    expect(parseDate(text)).toEqual(REFUSED),
  );

  it("are written without the T and zero seconds", () => {
    expect(formatMoment("2027-05-31T14:30:00Z")).toBe("2027-05-31 14:30Z");
    expect(formatMoment("08:00:00.5")).toBe("08:00:00.5");
  });
});

describe("parseJson", () => {
  it("understands JSON and nothing else", () => {
    expect(parseJson('{"a": [1, null]}')).toEqual({ value: { a: [1, null] } });
    expect(parseJson("{'a': 1}")).toEqual(REFUSED);
  });
});
