// Sequences of events, drawn as flows from each step to the next.

import type { Format } from "../core/format";
import type { Drawing, Option } from "./drawing";
import { colorOf } from "./palette";
import { base, measureOf, plain, tooltip } from "./parts";
import type { Words } from "./words";

export interface Edge {
  /** The number of the step, from 1. The edge leads from the layer with that number to the next layer. */
  step: number;
  from: string;
  to: string;
  count: number;
}

interface Node {
  name: string;
  label: string;
  depth: number;
}

/** Returns the nodes that the edges connect. An event that occurs in several layers has a node in each of them. */
export function nodesOf(edges: readonly Edge[]): Node[] {
  const nodes = new Map<string, Node>();
  for (const { step, from, to } of edges) {
    for (const [depth, label] of [
      [step - 1, from],
      [step, to],
    ] as const) {
      const name = `${depth} ${label}`;
      nodes.set(name, { name, label, depth });
    }
  }
  return [...nodes.values()];
}

const nodeWidth = 12;
const nodeGap = 10;
const margin = 8;
const fontSize = 12;
const lineHeight = 15;
/** Space between a node and its label. */
const labelGap = 5;

/** Returns the count of each node: the larger one of what enters and what leaves it. */
export function countsOf(edges: readonly Edge[]): ReadonlyMap<string, number> {
  const [entering, leaving] = [new Map<string, number>(), new Map<string, number>()];
  for (const { step, from, to, count } of edges) {
    const [source, target] = [`${step - 1} ${from}`, `${step} ${to}`];
    leaving.set(source, (leaving.get(source) ?? 0) + count);
    entering.set(target, (entering.get(target) ?? 0) + count);
  }
  const names = [...entering.keys(), ...leaving.keys()];
  return new Map(names.map((name) => [name, Math.max(entering.get(name) ?? 0, leaving.get(name) ?? 0)]));
}

/** Returns the height in pixels that ECharts gives to a count of one. */
function scaleOf(nodes: readonly Node[], counts: ReadonlyMap<string, number>, height: number): number {
  const layers = new Map<number, { nodes: number; count: number }>();
  for (const { depth, name } of nodes) {
    const layer = layers.get(depth) ?? { nodes: 0, count: 0 };
    layers.set(depth, { nodes: layer.nodes + 1, count: layer.count + (counts.get(name) ?? 0) });
  }
  const scales = [...layers.values()].map((layer) => (height - (layer.nodes - 1) * nodeGap) / layer.count);
  return Math.max(0, Math.min(...scales));
}

export function sankey(edges: readonly Edge[], labelOf: (name: string) => string, { texts, format }: Words): Drawing {
  const nodes = nodesOf(edges);
  const counts = countsOf(edges);
  const names = [...new Set(nodes.map((node) => node.label))];
  const first = edges.reduce((sum, { step, count }) => (step === 1 ? sum + count : sum), 0);
  const sorted = [...edges].sort((a, b) => a.step - b.step || b.count - a.count);
  const layers = Math.max(...nodes.map(({ depth }) => depth)) + 1;
  const nameOf = (node: string) => plain(labelOf(node.slice(node.indexOf(" ") + 1)));
  const share = (count: number, whole: number | undefined) => format.percent(count / (whole || 1), 0);
  return {
    label: texts.pathsLabel(
      sorted
        .slice(0, 4)
        .map((edge) => `${labelOf(edge.from)} → ${labelOf(edge.to)}: ${format.number(edge.count)}`)
        .join(", "),
    ),
    empty: edges.length === 0,
    table: {
      columns: [
        { label: texts.step, kind: "number" },
        { label: texts.from },
        { label: texts.to },
        { label: texts.count, kind: "number" },
        { label: texts.share, kind: "percent" },
      ],
      rows: sorted.map((edge) => [
        edge.step,
        labelOf(edge.from),
        labelOf(edge.to),
        edge.count,
        edge.count / (counts.get(`${edge.step - 1} ${edge.from}`) || 1),
      ]),
    },
    option: (look): Option => {
      const right = look.wide ? 160 : 72;
      const scale = scaleOf(nodes, counts, look.height - 2 * margin);
      const between = (look.width - 4 - right - nodeWidth) / Math.max(1, layers - 1);
      // The labels of nodes begin at the left end of the edges, and those of edges are in the middle.
      const edgesLabelled = between >= 230;
      const room = (edgesLabelled ? between / 2 - 40 : between - 2) - nodeWidth - labelGap;
      const rooms = new Map(nodes.map(({ name, depth }) => [name, depth === layers - 1 ? right - labelGap - 2 : room]));
      const measure = measureOf(fontSize);
      return {
        ...base(look),
        tooltip: {
          ...tooltip(look),
          formatter: ({
            dataType,
            data,
            value,
          }: {
            dataType: string;
            data: { source: string; target: string; label?: string; name: string };
            value: number;
          }) =>
            dataType === "edge"
              ? `${nameOf(data.source)} → ${nameOf(data.target)}\n${format.number(value)} · ${share(value, counts.get(data.source))}`
              : `${nameOf(data.name)}\n${format.number(value)} · ${share(value, first)}`,
        },
        series: [
          {
            type: "sankey",
            left: 4,
            right,
            top: margin,
            bottom: margin,
            nodeWidth,
            nodeGap,
            draggable: false,
            layoutIterations: 32,
            emphasis: { focus: "none" },
            lineStyle: { color: "source", opacity: 0.28, curveness: 0.5 },
            label: {
              color: look.palette.text,
              fontSize,
              lineHeight,
              distance: labelGap,
              formatter: ({ name, value }: { name: string; value: number }) =>
                nodeLabel(
                  nameOf(name),
                  value,
                  share(value, first),
                  value * scale + nodeGap,
                  look.wide,
                  format,
                  (text, lines, beside = "") => fitted(text, lines, (rooms.get(name) ?? room) - measure(beside), measure),
                ),
            },
            // Edges that cross in the middle would have their labels on top of each other.
            labelLayout: ({ dataType }: { dataType?: string }) => ({ hideOverlap: dataType === "edge" }),
            edgeLabel: {
              show: edgesLabelled,
              color: look.palette.text,
              fontSize: 11,
              formatter: ({ data: { source }, value }: { data: { source: string }; value: number }) =>
                value * scale < lineHeight ? "" : `${format.number(value)} · ${share(value, counts.get(source))}`,
            },
            data: nodes.map((node) => ({
              name: node.name,
              depth: node.depth,
              itemStyle: {
                color: node.label === "(other)" ? look.palette.rest : colorOf(look.palette, names.indexOf(node.label)),
                borderWidth: 0,
              },
            })),
            links: edges.map((edge) => ({ source: `${edge.step - 1} ${edge.from}`, target: `${edge.step} ${edge.to}`, value: edge.count })),
          },
        ],
      };
    },
  };
}

/** Returns the lines of a name that has room for so many lines, in which `beside` takes a part of the room. */
type Fit = (name: string, lines: number, beside?: string) => string[];

/** Returns the label of a node, with as many lines as fit into `height` pixels. */
export function nodeLabel(name: string, count: number, share: string, height: number, wide: boolean, format: Format, fit: Fit): string {
  const lines = Math.floor(height / lineHeight);
  const number = wide ? `${format.number(count)} · ${share}` : share;
  if (lines <= 1) {
    return lines === 1 ? `${number} ${fit(name, 1, `${number} `).join("")}` : "";
  }
  const numbers = lines >= 3 && !wide ? [format.compact(count), share] : [number];
  return [...fit(name, Math.min(2, lines - numbers.length)), ...numbers].join("\n");
}

/**
 * Breaks a name into at most `most` lines that fit into `room` pixels. If it is too long, dots
 * replace the middle of the last line, because names often differ only at their end.
 */
export function fitted(name: string, most: number, room: number, measure: (text: string) => number): string[] {
  const words = name.match(/[^\s_.-]*(?:[_.-]+|\s+|$)/g)?.filter(Boolean) ?? [];
  const lines: string[] = [];
  let line = "";
  for (const [at, word] of words.entries()) {
    const longer = line + word;
    if (measure(longer.trimEnd()) <= room) {
      line = longer;
      continue;
    }
    if (line === "" || lines.length === most - 1) {
      return [...lines, withoutMiddle(line + words.slice(at).join(""), room, measure)];
    }
    lines.push(line.trimEnd());
    line = word;
    if (lines.length === most - 1 || measure(word.trimEnd()) > room) {
      return [...lines, withoutMiddle(words.slice(at).join(""), room, measure)];
    }
  }
  return [...lines, line.trimEnd()];
}

/** Returns a text that fits into `room` pixels, with dots instead of its middle if it is too long. */
function withoutMiddle(text: string, room: number, measure: (text: string) => number): string {
  if (measure(text) <= room) {
    return text;
  }
  const letters = [...text];
  for (let kept = letters.length - 1; kept > 1; kept--) {
    const tail = Math.floor(kept / 2);
    const cut = `${letters
      .slice(0, kept - tail)
      .join("")
      .trimEnd()}…${letters.slice(-tail).join("").trimStart()}`;
    if (measure(cut) <= room) {
      return cut;
    }
  }
  return `${letters[0]}…`;
}
