// Sequences of events, drawn as flows from each step to the next.

import type { Format } from "../core/format";
import type { Drawing, Option } from "./drawing";
import { colorOf } from "./palette";
import { base, plain, tooltip } from "./parts";
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
const lineHeight = 15;

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
      const right = look.wide ? 160 : 64;
      const scale = scaleOf(nodes, counts, look.height - 2 * margin);
      const between = (look.width - 4 - right - nodeWidth) / Math.max(1, layers - 1);
      // The labels of nodes begin at the left end of the edges, and those of edges are in the middle.
      const edgesLabelled = between >= 230;
      const room = Math.min(look.wide ? 150 : 56, (edgesLabelled ? between / 2 - 40 : between) - nodeWidth);
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
              fontSize: 12,
              lineHeight,
              overflow: "truncate",
              width: room,
              formatter: ({ name, value }: { name: string; value: number }) =>
                nodeLabel(nameOf(name), value, share(value, first), value * scale + nodeGap, look.wide, format),
            },
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

/** Returns the label of a node, with as many lines as fit into `height` pixels. */
export function nodeLabel(name: string, count: number, share: string, height: number, wide: boolean, format: Format): string {
  const lines = Math.floor(height / lineHeight);
  if (lines >= 3 && !wide) {
    return [name, format.compact(count), share].join("\n");
  }
  if (lines >= 2) {
    return `${name}\n${wide ? `${format.number(count)} · ${share}` : share}`;
  }
  // The number comes first, because the end of a long name is cut off.
  return lines === 1 ? `${wide ? `${format.number(count)} · ${share}` : share} ${name}` : "";
}
