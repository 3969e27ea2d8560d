// Saves a chart: its values as CSV, its picture as PNG.

import { close } from "./close";
import type { Drawing } from "./drawing";
import { colorOf, type Palette } from "./palette";
import { fontFamily } from "./parts";
import { csvOf } from "./table";

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // Wait before revoking the address, until the browser has read the file.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Joins parts into a file name, such as "requests-by-platform-acme-7d.csv". */
export function fileName(parts: readonly string[], extension: string): string {
  const words = parts.map((part) =>
    part
      .toLowerCase()
      .replace(/[^\p{L}\p{N}.]+/gu, "-")
      .replace(/^-+|-+$/g, ""),
  );
  return `${words.filter(Boolean).join("-")}.${extension}`;
}

/** Saves CSV with a byte order mark, by which spreadsheets recognize UTF-8. */
export function saveCsv(drawing: Drawing, name: string): void {
  save(new Blob(["\ufeff", csvOf(drawing.table)], { type: "text/csv;charset=utf-8" }), name);
}

const size = { width: 1200, height: 560, head: 84, edge: 32 };

/** Saves the chart with its title and the names of its series at twice its resolution. */
export async function savePng(
  drawing: Drawing,
  title: string,
  subtitle: string,
  palette: Palette,
  hidden: ReadonlySet<string>,
  name: string,
): Promise<void> {
  const engine = await import("./engine");
  if (drawing.shapes) {
    await engine.load(drawing.shapes);
  }
  const scale = 2;
  const chart = engine.open(document.createElement("div"), size.width - 2 * size.edge, size.height);
  try {
    chart.setOption(drawing.option({ palette, hidden, width: size.width - 2 * size.edge, height: size.height, wide: true }));
    const canvas = document.createElement("canvas");
    canvas.width = size.width * scale;
    canvas.height = (size.height + size.head + size.edge) * scale;
    const paint = canvas.getContext("2d")!;
    paint.scale(scale, scale);
    paint.fillStyle = palette.surface;
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.fillStyle = palette.text;
    paint.font = `600 20px ${fontFamily}`;
    paint.fillText(title, size.edge, 40);
    paint.font = `13px ${fontFamily}`;
    paint.fillStyle = palette.muted;
    paint.fillText(subtitle, size.edge, 62);
    let right = size.width - size.edge;
    for (const [index, label] of [...(drawing.legend ?? []).entries()].reverse()) {
      if (!hidden.has(label)) {
        right -= paint.measureText(label).width;
        paint.fillStyle = palette.text;
        paint.fillText(label, right, 40);
        right -= 14;
        paint.fillStyle = drawing.rest?.includes(label) ? palette.rest : colorOf(palette, index);
        paint.fillRect(right, 30, 10, 10);
        right -= 18;
      }
    }
    paint.drawImage(
      chart.renderToCanvas({ pixelRatio: scale, backgroundColor: palette.surface }),
      size.edge,
      size.head,
      size.width - 2 * size.edge,
      size.height,
    );
    const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (picture) {
      save(picture, name);
    }
  } finally {
    close(chart);
  }
}
