// Writes svc-sdk.js, the ES module, svc-sdk.global.js, for a script element, and
// svc-sdk.transfers.js, which both ask for when they move a file, each with its brotli form
// that the server sends, and their hashes in README.md.
//
//   node build.mjs           writes what has changed
//   node build.mjs --check   fails when something would change
//   node build.mjs --player  makes tests/player.js instead
//
// It needs Node and the compiler of the TypeScript package, in the same version: npm ci.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from "node:zlib";
import { bundle } from "./bundle.mjs";

const here = new URL(".", import.meta.url);
const file = (name) => fileURLToPath(new URL(name, here));
const ts = createRequire(import.meta.url)("typescript");
const { version, license } = JSON.parse(readFileSync(file("../typescript/package.json"), "utf8"));

/** The name under which a file never changes. */
export const pinned = (name, text) => name.replace("svc-sdk", "svc-sdk-" + createHash("sha256").update(text).digest("hex").slice(0, 16));

/** The texts of the files by name. */
export function build() {
  const transfers = "svc-sdk.transfers.js";
  const { code: loading, later, exports } = bundle(ts, file("entry.ts"), transfers);
  const head = `/*! svc-sdk ${version} | ${license} */\n`;
  const moved = `${head}${later}\n`;
  // The other half is asked for under its pinned name, so that halves of two versions never meet.
  const code = loading.replace(transfers, pinned(transfers, moved));
  const list = exports.map(([name, short]) => `${short} as ${name}`).join(",");
  const members = exports.map(([name, short]) => `${name}:${short}`).join(",");
  const client = exports.find(([name]) => name === "SvcClient")[1];
  // A script of another origin without the attribute crossorigin has no address for import().
  const from = `const from$=(globalThis.document?.currentScript?.src||"./").replace(/[^/?#]*([?#].*)?$/s,"");`;
  const script = code.replace(/import\("\.\/([^"]*)"\)/, 'import(from$+"$1")');
  return {
    "svc-sdk.js": `${head}${code}\nexport{${list}};\n`,
    "svc-sdk.global.js": `${head}(()=>{"use strict";${from}\n${script}\nglobalThis.SvcSDK={${members}};globalThis.SvcClient=${client}})();\n`,
    [transfers]: moved,
  };
}

/** README.md with the hashes of the texts. */
function withHashes(readme, texts) {
  for (const [name, text] of Object.entries(texts)) {
    const pinnedName = pinned(name, text);
    const sum = "sha384-" + createHash("sha384").update(text).digest("base64");
    const form = name.replace("svc-sdk", "").replaceAll(".", "\\.");
    readme = readme.replace(new RegExp(`svc-sdk-[0-9a-f]{16}${form}`, "g"), pinnedName);
    readme = readme.replace(new RegExp(`(${pinnedName.replaceAll(".", "\\.")}[^<]*?)sha384-[A-Za-z0-9+/=]{64}`, "g"), "$1" + sum);
  }
  return readme;
}

const brotli = (text) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } });

function unpacked(name) {
  try {
    return brotliDecompressSync(readFileSync(file(name))).toString();
  } catch {
    return null;
  }
}

function main(check) {
  const texts = build();
  const changed = [];
  const keep = (name, now, want, bytes = want) => {
    if (now !== want) {
      changed.push(name);
      check || writeFileSync(file(name), bytes);
    }
  };
  for (const [name, text] of Object.entries(texts)) {
    keep(name, readFileSync(file(name), "utf8"), text);
    // Another version of Node may compress otherwise, so what is in it counts.
    keep(name + ".br", unpacked(name + ".br"), text, brotli(text));
    const small = gzipSync(text, { level: 9 }).length;
    console.log(`${name}: ${text.length} bytes, ${small} with gzip -9, ${brotli(text).length} with brotli`);
  }
  const readme = readFileSync(file("README.md"), "utf8");
  keep("README.md", readme, withHashes(readme, texts));
  if (check && changed.length > 0) {
    console.error(`not as a fresh build: ${changed.join(", ")}; run node clients/browser/build.mjs`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--player")) {
    writeFileSync(file("tests/player.js"), bundle(ts, file("tests/player.ts")).code + "\n");
  } else {
    main(process.argv.includes("--check"));
  }
}
