// Builds the console into dist: the files of Vite, compressed where that saves space, a document
// for each page, and the licences of all bundled code. A compressed file is stored as .br and .gz
// only; the program decompresses it for clients that accept neither, which makes the embedded files
// a third of the size. With --check it builds into another folder and fails if dist differs.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { build } from "vite";
import { licences } from "./licences.mjs";
import { pages } from "./pages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");

/** Builds into a folder, which is emptied first. */
async function buildInto(outDir) {
  rmSync(outDir, { recursive: true, force: true });
  const { output } = await build({ root, logLevel: "warn", build: { outDir, emptyOutDir: true } });
  writeFileSync(join(outDir, "licences.txt"), licences(root, output));
  for (const [name, text] of pages(root, output, readFileSync(join(outDir, "index.html"), "utf8"))) {
    writeFileSync(join(outDir, name), text);
  }
  for (const name of readdirSync(outDir)) {
    if ([".js", ".css", ".svg", ".json", ".txt"].includes(extname(name))) {
      const path = join(outDir, name);
      const text = readFileSync(path);
      const small = brotliCompressSync(text, {
        params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
      });
      if (small.length < 0.9 * text.length) {
        writeFileSync(`${path}.br`, small);
        writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
        rmSync(path);
      }
    }
  }
}

/** The files of a folder by name. Compressed forms may differ between versions of Node.js, but not their content. */
function filesIn(folder) {
  const read = (name) => {
    const bytes = readFileSync(join(folder, name));
    const plain = { ".br": brotliDecompressSync, ".gz": gunzipSync }[extname(name)];
    return (plain ? plain(bytes) : bytes).toString("base64");
  };
  return new Map(readdirSync(folder).map((name) => [name, read(name)]));
}

if (process.argv.includes("--check")) {
  const fresh = mkdtempSync(join(tmpdir(), "svc-console-dist-"));
  try {
    await buildInto(fresh);
    const [here, there] = [filesIn(dist), filesIn(fresh)];
    const names = new Set([...here.keys(), ...there.keys()]);
    const different = [...names].filter((name) => here.get(name) !== there.get(name));
    if (different.length) {
      console.error(`dist is not what src gives; run make console. Different: ${different.sort().join(", ")}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(fresh, { recursive: true });
  }
} else {
  await buildInto(dist);
}
