// Writes shots/index.html: all screenshots, with a row for each scene.

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../shots", import.meta.url));

export default function sheet(): void {
  if (!existsSync(folder)) {
    return;
  }
  const rows = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const pictures = readdirSync(join(folder, name))
        .sort()
        .map(
          (file) =>
            `<figure><a href="${name}/${file}"><img src="${name}/${file}" loading="lazy" alt=""></a><figcaption>${file}</figcaption></figure>`,
        );
      return `<h2>${name}</h2><div>${pictures.join("")}</div>`;
    });
  const style =
    "body{font:14px sans-serif}div{display:flex;gap:8px;overflow-x:auto;align-items:start}figure{margin:0}img{height:420px;border:1px solid #888}";
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><meta charset="utf-8"><title>Screenshots</title><style>${style}</style>${rows.join("\n")}\n`,
  );
}
