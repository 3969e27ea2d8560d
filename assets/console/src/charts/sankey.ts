// Sequences of events, drawn as flows from each step to the next.

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

export function sankey(edges: readonly Edge[], labelOf: (name: string) => string, { texts, format }: Words): Drawing {
  const nodes = nodesOf(edges);
  const names = [...new Set(nodes.map((node) => node.label))];
  const first = edges.reduce((sum, { step, count }) => (step === 1 ? sum + count : sum), 0);
  const sorted = [...edges].sort((a, b) => a.step - b.step || b.count - a.count);
  return {
    label: texts.pathsLabel(
      sorted
        .slice(0, 4)
        .map((edge) => `${labelOf(edge.from)} → ${labelOf(edge.to)}: ${format.number(edge.count)}`)
        .join(", "),
    ),
    empty: edges.length === 0,
    table: {
      columns: [{ label: texts.step, kind: "number" }, { label: texts.from }, { label: texts.to }, { label: texts.count, kind: "number" }],
      rows: sorted.map((edge) => [edge.step, labelOf(edge.from), labelOf(edge.to), edge.count]),
    },
    option: (look): Option => ({
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
        }) => {
          const name = (node: string) => plain(labelOf(node.slice(node.indexOf(" ") + 1)));
          return dataType === "edge"
            ? `${name(data.source)} → ${name(data.target)}\n${format.number(value)}`
            : `${name(data.name)}\n${format.number(value)}`;
        },
      },
      series: [
        {
          type: "sankey",
          left: 4,
          right: look.wide ? 160 : 64,
          top: 8,
          bottom: 8,
          nodeWidth: 12,
          nodeGap: 10,
          draggable: false,
          layoutIterations: 32,
          emphasis: { focus: "none" },
          lineStyle: { color: "source", opacity: 0.28, curveness: 0.5 },
          label: {
            color: look.palette.text,
            fontSize: 12,
            overflow: "truncate",
            width: look.wide ? 150 : 54,
            // Omit the labels of small nodes: their bands are closer together than lines of text.
            formatter: ({ name, value }: { name: string; value: number }) =>
              value < first / 60 ? "" : plain(labelOf(name.slice(name.indexOf(" ") + 1))),
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
    }),
  };
}
