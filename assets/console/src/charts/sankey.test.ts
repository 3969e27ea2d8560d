// Draws paths with ECharts and looks where the labels are.

import { SankeyChart } from "echarts/charts";
import { TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";
import { expect, test, vi } from "vitest";
import { formatIn } from "../core/format";
import { en } from "../texts/en";
import { light } from "./palette";
import { type Edge, sankey } from "./sankey";

vi.hoisted(() => {
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("navigator", { userAgent: "Node.js" });
  const pen = { font: "", measureText: (text: string) => ({ width: text.length * 7 }) };
  vi.stubGlobal(
    "OffscreenCanvas",
    class {
      getContext = () => pen;
    },
  );
});

use([SankeyChart, TooltipComponent, LabelLayout, SVGRenderer]);

const edges: Edge[] = [
  { step: 1, from: "app opened", to: "document opened", count: 5667 },
  { step: 1, from: "app opened", to: "(other)", count: 215 },
  { step: 1, from: "document opened", to: "app opened", count: 90 },
  { step: 2, from: "document opened", to: "document opened", count: 2362 },
  { step: 2, from: "document opened", to: "template chosen", count: 685 },
  { step: 2, from: "document opened", to: "search used", count: 863 },
  { step: 2, from: "document opened", to: "document created", count: 452 },
  { step: 3, from: "document opened", to: "document opened", count: 1008 },
  { step: 3, from: "document opened", to: "template chosen", count: 306 },
  { step: 3, from: "document opened", to: "search used", count: 335 },
  { step: 3, from: "template chosen", to: "document created", count: 680 },
  { step: 3, from: "search used", to: "template chosen", count: 240 },
];

interface Box {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Returns the lines of text in a drawing of the given size. */
function linesIn(width: number, height: number): Box[] {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  const drawing = sankey(edges, (name) => name, { texts: en.charts, format: formatIn("en-GB") });
  chart.setOption(drawing.option({ palette: light, hidden: new Set(), width, height, wide: width >= 600 }));
  const picture = chart.renderToSVGString();
  chart.dispose();
  return [...picture.matchAll(/<text ([^>]*)>([^<]*)<\/text>/g)].map(([, attributes, text]) => {
    const moved = /translate\(([-\d.]+) ([-\d.]+)\)/.exec(attributes!);
    const at = (name: string) => Number(new RegExp(`(?:^| )${name}="([-\\d.]+)"`).exec(attributes!)?.[1] ?? 0);
    const [x, y] = [at("x") + Number(moved?.[1] ?? 0), at("y") + Number(moved?.[2] ?? 0)];
    const length = text!.length * 7;
    const left = /text-anchor="middle"/.test(attributes!) ? x - length / 2 : /text-anchor="end"/.test(attributes!) ? x - length : x;
    return { text: text!, left, right: left + length, top: y - 6, bottom: y + 6 };
  });
}

test.each([
  [1140, 460],
  [326, 460],
  [256, 460],
])("labels of paths on %i pixels overlap neither each other nor the edge", (width, height) => {
  const lines = linesIn(width, height);
  expect(lines.length).toBeGreaterThan(8);
  for (const [index, one] of lines.entries()) {
    expect(one.right, one.text).toBeLessThanOrEqual(width);
    for (const other of lines.slice(index + 1)) {
      const apart = one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top;
      expect(apart, `${JSON.stringify(one)} and ${JSON.stringify(other)}`).toBe(true);
    }
  }
});

test("names on a phone can be told from each other", () => {
  const shown = linesIn(326, 460)
    .map(({ text }) => text)
    .join(" ");
  expect(shown).toContain("opened");
  expect(shown).toMatch(/created|…ted/);
  expect(shown).toMatch(/chosen|…sen/);
});
