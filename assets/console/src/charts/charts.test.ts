import { init } from "echarts";
import { describe, expect, it, vi } from "vitest";
import { formatIn } from "../core/format";
import { daysIn, inDays, rangeBetween, rangeOf, weeksIn, zoneName } from "../core/range";
import { en } from "../texts/en";
import { isoDay } from "./calendar";
import { changeOf, shareText } from "./change";
import { countryOf, onMap } from "./countries";
import { contrast, dark, inkOn, light, shadeOf } from "./palette";
import { plain } from "./parts";
import { average, largestReturn } from "./retention";
import { countsOf, fitted, nodeLabel, nodesOf } from "./sankey";
import { selected } from "./select";
import { slicesOf } from "./shares";
import { linesOf, thinned } from "./sparkline";
import { csvOf } from "./table";
import { finished, pointsOf, type TrendValues, trend } from "./trend";

// The formatter imports the language selection, which needs a browser.
vi.hoisted(() => {
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("navigator", { userAgent: "Node.js" });
});

const day = 86_400;
// Monday, 1 December 2025, 00:00 UTC.
const monday = 1_764_547_200;

describe("rangeOf", () => {
  it("begins with a whole hour up to a week, and lasts as long as its name says", () => {
    const range = rangeOf("24h", monday + 1800, 0);
    expect(range).toMatchObject({ start: monday - 23 * 3600, end: monday + 1800, granularity: "hour" });
    expect(range.previous).toEqual({ start: monday - 47 * 3600, end: monday - 23 * 3600 - 1 });
  });
  it("begins at midnight of the zone when it is longer", () => {
    // 23:30 UTC is 07:30 of the next day at UTC+08:00.
    const range = rangeOf("30d", monday + 23.5 * 3600, 480);
    expect(range).toMatchObject({ start: monday + 16 * 3600 - 29 * day, granularity: "day" });
    expect(range.previous.end).toBe(range.start - 1);
    expect(range.start - range.previous.start).toBe(30 * day);
  });
  it.each([
    [0, "UTC"],
    [480, "UTC+08:00"],
    [-210, "UTC−03:30"],
  ])("names the zone %i minutes east", (offset, name) => expect(zoneName(offset)).toBe(name));
});

describe("days and weeks of a range", () => {
  it("are those that it overlaps, in the time zone", () => {
    const range = (start: number, end: number, offset = 0) => ({ ...rangeOf("24h", end, offset), start, end });
    expect(daysIn(range(monday, monday + day - 1))).toBe(1);
    expect(daysIn(range(monday - 1, monday + day))).toBe(3);
    expect(daysIn(range(monday, monday + day - 1, 60))).toBe(2);
    expect(weeksIn(range(monday, monday + 7 * day - 1))).toBe(1);
    expect(weeksIn(range(monday - 1, monday + 7 * day))).toBe(3);
    expect(weeksIn(range(monday, monday + 7 * day - 1, 60))).toBe(2);
  });
});

describe("inDays", () => {
  it("begins at midnight in the zone of the range, and leaves short and daily ranges as they are", () => {
    const week = rangeOf("7d", monday + 3.5 * 3600, 120);
    const days = inDays(week);
    expect(days.granularity).toBe("day");
    expect((days.start + 120 * 60) % 86_400).toBe(0);
    expect(week.start - days.start).toBeLessThan(86_400);
    expect(days.start).toBeLessThanOrEqual(week.start);
    for (const range of [rangeOf("24h", monday, 0), rangeOf("30d", monday, 0)]) {
      expect(inDays(range)).toBe(range);
    }
  });
});

describe("rangeBetween", () => {
  const now = monday + 100 * day;
  it("is extended to full hours up to eight days", () => {
    const range = rangeBetween(monday + 1800, monday + 9000, now, 0);
    expect(range).toMatchObject({ name: null, start: monday, end: monday + 3 * 3600 - 1, granularity: "hour" });
    expect(range?.previous).toEqual({ start: monday - 3 * 3600, end: monday - 1 });
  });
  it("is extended to full days of the zone when it is longer, but not beyond the present", () => {
    const range = rangeBetween(monday + 3600, now + 5, now, 480);
    expect(range).toMatchObject({ start: monday - 8 * 3600, end: now, granularity: "day" });
  });
  it.each([
    ["is empty", monday, monday],
    ["ends before its start", monday + 10, monday],
    ["is in the future", now + 10, now + 20],
    ["is longer than a year", now - 400 * day, now],
  ])("is refused when it %s", (_, from, to) => expect(rangeBetween(from, to, now, 0)).toBeNull());
});

describe("selected", () => {
  const periods = { starts: [0, 3600, 7200, 10_800], length: 3600 };
  it.each([
    [0.6, 2.2, [3600, 10_799]],
    [2.2, 0.6, [3600, 10_799]],
    [-3, 99, [0, 14_399]],
  ])("from %d to %d on the axis is %j", (one, other, range) => expect(selected(periods, one, other)).toEqual(range));
});

describe("pointsOf", () => {
  const zeros = Array.from({ length: 20 }, () => 0);
  it("marks the values of a series that is almost always zero", () => {
    const points = pointsOf([...zeros, 5]);
    expect(points.showSymbol).toBe(true);
    expect(points.data[20]).toBe(5);
    expect(points.data[0]).toEqual({ value: 0, symbol: "none" });
  });
  it("leaves other series alone", () => {
    const values = zeros.map((_, at) => at % 2);
    expect(pointsOf(values)).toEqual({ data: values, showSymbol: false });
  });
});

describe("parts that are not over", () => {
  const hours = [monday, monday + 3600, monday + 7200];
  it.each([
    [monday + 7200, 2],
    [monday + 10_799, 2],
    [monday + 10_800, 3],
    [monday, 0],
  ])("at %i, %i of three hours are over", (now, over) => expect(finished(hours, "hour", now)).toBe(over));
});

describe("shareText", () => {
  it.each([
    ["en-GB", 0.034, "3.4%"],
    ["en-GB", 9.99, "999%"],
    ["en-GB", 9.991, ">999%"],
    ["en-GB", 1716.09, ">999%"],
    ["zh-Hans-CN", 0.12, "12%"],
    ["zh-Hans-CN", 1716.09, ">999%"],
  ])("in %s, %s is %s", (tag, by, text) => {
    const percent = (share: number, digits = 1) =>
      new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: digits }).format(share);
    expect(shareText(by, { percent })).toBe(text);
  });
});

describe("changeOf", () => {
  it.each([
    [12, 10, false, { kind: "up", by: 0.2 }],
    [5, 10, false, { kind: "down", by: 0.5 }],
    [10, 10, false, { kind: "same" }],
    [3, 0, false, { kind: "new" }],
    [0, 0, false, { kind: "none" }],
    [0, 4, false, { kind: "down", by: 1 }],
    [4.5, null, true, { kind: "new" }],
    [null, 4, true, { kind: "none" }],
    [4.5, 4, true, { kind: "up", by: 0.5 }],
    [7, undefined, false, { kind: "none" }],
  ])("of %s after %s", (now, before, difference, change) => expect(changeOf(now, before, difference)).toEqual(change));
});

describe("csvOf", () => {
  it("quotes what needs it, and takes formulas apart", () => {
    const table = {
      columns: [{ label: "Name" }, { label: "Count", kind: "number" as const }],
      rows: [
        ['a "b", c', 1.5],
        ["=HYPERLINK(1)", null],
        ["-", -2],
      ],
    };
    expect(csvOf(table)).toBe('Name,Count\r\n"a ""b"", c",1.5\r\n\'=HYPERLINK(1),\r\n\'-,-2\r\n');
  });
  it("names the unit of times", () => {
    expect(csvOf({ columns: [{ label: "Median", kind: "seconds" }], rows: [[90], [null]] })).toBe("Median (s)\r\n90\r\n\r\n");
  });
});

describe("slicesOf", () => {
  const parts = Array.from({ length: 12 }, (_, at) => ({ name: String(at), count: 12 - at }));
  it("keeps eight and adds up the others", () => {
    const slices = slicesOf(parts, 100, "Others");
    expect(slices).toHaveLength(9);
    expect(slices[8]).toMatchObject({ name: "Others", count: 100 - (12 + 11 + 10 + 9 + 8 + 7 + 6 + 5) });
  });
  it("leaves out nothing and adds nothing when all fit", () => {
    expect(
      slicesOf(
        [
          { name: "a", count: 2 },
          { name: "b", count: 0 },
        ],
        2,
        "Others",
      ),
    ).toEqual([{ name: "a", count: 2 }]);
  });
});

describe("curves", () => {
  it("adds values up to few enough", () => {
    expect(thinned([1, 2, 3, 4, 5], 2)).toEqual([6, 9]);
    expect(thinned([], 2)).toEqual([]);
    expect(thinned([1, 2], 5)).toEqual([1, 2]);
    expect(thinned([null, null, 1, null], 2)).toEqual([null, 1]);
  });
  it("touches the top with the greatest value, and stays at the bottom without any", () => {
    const drawn = (values: (number | null)[]) => linesOf(values, 100, 20).map((line) => line.map(({ x, y }) => `${x} ${y}`));
    expect(drawn([0, 5, 10])).toEqual([["0 20", "50 10", "100 0"]]);
    expect(drawn([0, 0])).toEqual([["0 20", "100 20"]]);
    expect(drawn([null, 5, 10, null, 10])).toEqual([["25 10", "50 0"], ["100 0"]]);
    expect(drawn([null, null])).toEqual([]);
  });
});

describe("an axis of values", () => {
  const words = { texts: en.charts, format: formatIn("en-GB") };
  const marksOf = (most: number, more: Partial<TrendValues>) => {
    const values = [most / 3, most];
    const buckets = [monday, monday + day];
    const drawing = trend(
      { buckets, granularity: "day", offset: 0, now: monday + 9 * day, series: [{ name: "a", values }], measure: "m", ...more },
      words,
    );
    const chart = init(null, null, { renderer: "svg", ssr: true, width: 600, height: 240 });
    chart.setOption(drawing.option({ palette: light, hidden: new Set(), width: 600, height: 240, wide: true }));
    const texts = [...chart.renderToSVGString().matchAll(/<text[^>]*text-anchor="end"[^>]*>([^<]+)</g)].map(([, text]) => text!);
    chart.dispose();
    return texts;
  };
  it.each([0.0007, 0.004, 0.0121, 0.09, 0.1, 0.4, 0.99, 1, 2, 7, 17, 950, 1000, 1999, 4300, 26_000, 1_100_000])(
    "tells its marks apart up to %d",
    (most) => {
      for (const percent of [false, true]) {
        const marks = marksOf(most, { percent });
        expect(marks.length).toBeGreaterThan(2);
        expect(new Set(marks).size, `${marks}`).toBe(marks.length);
      }
    },
  );
  it("writes no more digits than it needs", () => {
    expect(marksOf(0.09, {})).toEqual(["0", "0.02", "0.04", "0.06", "0.08", "0.1"]);
    expect(marksOf(4, {})).toEqual(["0", "1", "2", "3", "4"]);
  });
});

describe("retention", () => {
  it("is over all who could have come back", () => {
    const cohorts = [
      {
        name: "a",
        size: 3,
        cells: [
          { users: 3, rate: 1 },
          { users: 1, rate: 1 / 3 },
        ],
      },
      { name: "b", size: 1, cells: [{ users: 1, rate: 1 }, null] },
      { name: "c", size: 0, cells: [{ users: 0, rate: 0 }, null] },
    ];
    expect(average(cohorts, 3)).toEqual([1, 1 / 3, null]);
  });
});

describe("paths", () => {
  it("has another node for a name in each layer", () => {
    const nodes = nodesOf([
      { step: 1, from: "open", to: "view", count: 2 },
      { step: 2, from: "view", to: "view", count: 1 },
    ]);
    expect(nodes.map(({ name }) => name)).toEqual(["0 open", "1 view", "2 view"]);
  });
  it("counts what enters a node or leaves it, whichever is more", () => {
    const counts = countsOf([
      { step: 1, from: "open", to: "view", count: 3 },
      { step: 1, from: "open", to: "buy", count: 2 },
      { step: 2, from: "view", to: "view", count: 1 },
    ]);
    expect([...counts].sort()).toEqual([
      ["0 open", 5],
      ["1 buy", 2],
      ["1 view", 3],
      ["2 view", 1],
    ]);
  });
  it.each([
    [60, true, "Document/opened/1,234 · 41%"],
    [45, true, "Document/opened/1,234 · 41%"],
    [30, true, "Docum…ened/1,234 · 41%"],
    [20, true, "1,234 · 41% D…"],
    [14, true, ""],
    [60, false, "Document/opened/1.2k/41%"],
    [45, false, "Docum…ened/1.2k/41%"],
    [30, false, "Docum…ened/41%"],
    [20, false, "41% Doc…ed"],
    [14, false, ""],
  ])("labels a node of %i pixels, wide: %s", (height, wide, label) => {
    const fit = (name: string, lines: number, beside = "") => fitted(name, lines, 100 - beside.length * 10, ({ length }) => length * 10);
    expect(nodeLabel("Document opened", 1234, "41%", height, wide, formatIn("en-GB"), fit).replaceAll("\n", "/")).toBe(label);
  });
  it.each([
    ["open", 1, "open"],
    ["a document opened", 1, "a doc…ened"],
    ["a document opened", 2, "a document/opened"],
    ["document_opened_in_the_editor", 2, "document_/opene…itor"],
    ["documentopenedineditor", 2, "docum…itor"],
    ["", 1, ""],
  ])("cuts %j for %i lines in the middle", (name, lines, shown) =>
    expect(fitted(name, lines, 100, ({ length }) => length * 10).join("/")).toBe(shown),
  );
});

describe("colours", () => {
  it.each([
    ["light", light],
    ["dark", dark],
  ])("of series and texts can be told from the %s background", (_, palette) => {
    for (const color of [...palette.series, palette.rest]) {
      expect(contrast(color, palette.surface)).toBeGreaterThanOrEqual(3);
    }
    for (const color of [palette.text, palette.muted, palette.better, palette.worse]) {
      expect(contrast(color, palette.surface)).toBeGreaterThanOrEqual(4.5);
    }
    for (const color of palette.ramp) {
      expect(contrast(inkOn(color), color)).toBeGreaterThanOrEqual(4.5);
    }
  });
  it("go from nothing to everything", () => {
    expect([0, 0.01, 0.5, 1, 2].map((share) => light.ramp.indexOf(shadeOf(light, share)))).toEqual([0, 1, 3, 5, 5]);
  });
});

describe("places and days", () => {
  it("know countries by their numbers, and which are too small to be seen", () => {
    expect(countryOf("276")).toBe("DE");
    expect([onMap("DE"), onMap("SG"), onMap("AQ")]).toEqual([true, false, false]);
  });
  it("name days in their zone", () => expect([isoDay(monday - 1, 0), isoDay(monday - 1, 60)]).toEqual(["2025-11-30", "2025-12-01"]));
  it("keep names of strangers from being styles", () => expect(plain("{a|b}")).toBe("(a|b)"));
});

describe("largestReturn", () => {
  it("does not count the first period, in which everybody is there", () => {
    const cell = (rate: number) => ({ users: rate * 10, rate });
    expect(largestReturn([{ name: "a", size: 10, cells: [cell(1), cell(0.2), null] }])).toBe(0.2);
  });
});

describe("percents", () => {
  it("have one precision", () => {
    expect(formatIn("en-GB").percents([0.17, 0.047])).toEqual(["17.0%", "4.7%"]);
    expect(formatIn("en-GB").percents([0.17, 1])).toEqual(["17%", "100%"]);
  });
});

describe("span", () => {
  it.each([
    [0, "0 secs"],
    [59, "59 secs"],
    [60, "1 min"],
    [90, "1.5 mins"],
    [3599, "60 mins"],
    [86_400, "1 day"],
    [604_672, "7 days"],
    [2_592_000, "30 days"],
  ])("shows %s seconds as %s", (seconds, text) => expect(formatIn("en-GB").span(seconds)).toBe(text));
});

describe("duration", () => {
  it("has spaces between its units in English, and none in Chinese", () => {
    const durations = [0, 65, 4800, 266_400];
    expect(durations.map(formatIn("en-US").duration)).toEqual(["0 sec", "1 min 5 sec", "1 hr 20 min", "3 days 2 hr"]);
    expect(durations.map(formatIn("zh-CN").duration)).toEqual(["0秒", "1分钟5秒", "1小时20分钟", "3天2小时"]);
  });
});

describe("ago", () => {
  const noon = new Date(2025, 10, 28, 12).getTime() / 1000;
  it.each([
    [-25, "yesterday"],
    [-40, "2 days ago"],
    [-23, "23 hours ago"],
    [37, "in 2 days"],
    [57, "in 2 days"],
    [61, "in 3 days"],
  ])("counts days of the calendar: %d hours", (hours, text) => expect(formatIn("en-GB").ago(noon + hours * 3600, noon)).toBe(text));
});
