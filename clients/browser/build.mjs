// Writes svc-sdk.js, the ES module, svc-sdk.global.js, for a script element, and
// svc-sdk.transfers.js, which both import to transfer a file. The server sends the brotli
// form of each. Their hashes go into README.md.
//
//   node build.mjs           writes what has changed
//   node build.mjs --check   fails if anything would change
//   node build.mjs --player  writes tests/player.js instead
//
// esbuild bundles and terser minifies. Names of properties are not changed.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { minify } from "terser";

const here = new URL(".", import.meta.url);
const file = (name) => fileURLToPath(new URL(name, here));
const sources = file("../typescript/src");
const { version, license } = JSON.parse(readFileSync(file("../typescript/package.json"), "utf8"));
const head = `/*! svc-sdk ${version} | ${license} */\n`;

/** Every name that transfers.ts imports at run time, by module. The file that loads it passes these names to it. */
const shared = {
  "errors.js": ["SvcConnectionError", "SvcError"],
  "http.js": ["connectionError", "limited", "parts", "pause"],
  "options.js": ["checkOptions"],
  "rules.js": ["hex", "ownLink", "retryDelay"],
};

/** The name of a file with the hash of its text. */
export const pinned = (name, text) => name.replace("svc-sdk", "svc-sdk-" + createHash("sha256").update(text).digest("hex").slice(0, 16));

async function bundle(options) {
  const { outputFiles, metafile } = await esbuild.build({
    bundle: true,
    write: false,
    metafile: true,
    target: "es2020",
    // The sources are compiled with this option, so that `declare` fields do not become fields.
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false } },
    absWorkingDir: file("."),
    ...options,
  });
  return { text: outputFiles[0].text, exports: Object.values(metafile.outputs)[0].exports };
}

async function minified(text) {
  const { code } = await minify(text, { ecma: 2020, module: true, compress: { passes: 3 } });
  return head + code + "\n";
}

/** Replaces the modules that transfers.ts imports with variables of these names. */
const takeShared = {
  name: "take shared",
  setup(build) {
    build.onResolve({ filter: /\.js$/ }, ({ path }) => ({ path: path.replace("./", ""), namespace: "shared" }));
    build.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({ contents: `export const { ${shared[path]} } = shared;` }));
  },
};

/** The file whose default export creates the exports of transfers.ts from the names in `shared`. */
async function transfersFile() {
  const contents = 'import { download, upload } from "./transfers.ts"; transfers = { download, upload };';
  const { text } = await bundle({ stdin: { contents, resolveDir: sources }, format: "iife", plugins: [takeShared] });
  return minified(`export default (shared) => { let transfers; ${text} return transfers }`);
}

/** Makes updates.ts import the file at `address`, a JavaScript expression, and pass it the names in `shared`. */
const giveShared = (address) => ({
  name: "give shared",
  setup(build) {
    build.onLoad({ filter: /\/updates\.ts$/ }, ({ path }) => {
      const [before, after, more] = readFileSync(path, "utf8").split(/(?<!typeof )import\("\.\/transfers\.js"\)/);
      if (after === undefined || more !== undefined) {
        throw new Error("updates.ts must import transfers.ts in one place");
      }
      const imports = Object.entries(shared).map(([module, names]) => `import { ${names.map((name) => `${name} as ${name}$`)} } from "./${module}";`);
      const given = Object.values(shared).flat().map((name) => `${name}: ${name}$`);
      return { loader: "ts", contents: `${imports.join("")}${before}import(${address}).then((file) => file.default({ ${given} }))${after}` };
    });
  },
});

/** The texts of the files, by name. */
export async function build() {
  const transfers = await transfersFile();
  // Its name contains its hash, so that different versions are never combined.
  const name = pinned("svc-sdk.transfers.js", transfers);
  const module = await bundle({ entryPoints: [file("entry.ts")], format: "esm", external: ["./svc-sdk-*"], plugins: [giveShared(`"./${name}"`)] });
  // For a script from another origin without the attribute crossorigin, import() has no base
  // address.
  const script = await bundle({
    stdin: {
      resolveDir: file("."),
      contents: `import { ${module.exports} } from "./entry.ts";
        globalThis.SvcSDK = { ${module.exports} };
        globalThis.SvcClient = SvcClient;`,
    },
    format: "iife",
    banner: { js: '(() => { const base = (globalThis.document?.currentScript?.src || "./").replace(/[^/?#]*([?#].*)?$/s, "");' },
    footer: { js: "})()" },
    plugins: [giveShared(`base + "${name}"`)],
  });
  return {
    "svc-sdk.js": await minified(module.text),
    "svc-sdk.global.js": await minified(script.text),
    "svc-sdk.transfers.js": transfers,
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

/** The text of a committed file; null if it does not exist. */
function committed(name) {
  try {
    const bytes = readFileSync(file(name));
    return (name.endsWith(".br") ? brotliDecompressSync(bytes) : bytes).toString();
  } catch {
    return null;
  }
}

async function main(check) {
  const texts = await build();
  const changed = [];
  const keep = (name, want, bytes = want) => {
    if (committed(name) !== want) {
      changed.push(name);
      check || writeFileSync(file(name), bytes);
    }
  };
  for (const [name, text] of Object.entries(texts)) {
    keep(name, text);
    // Another version of Node may compress differently, so the uncompressed texts are compared.
    keep(name + ".br", text, brotli(text));
    const small = gzipSync(text, { level: 9 }).length;
    console.log(`${name}: ${text.length} bytes, ${small} with gzip -9, ${brotli(text).length} with brotli`);
  }
  keep("README.md", withHashes(committed("README.md"), texts));
  if (check && changed.length > 0) {
    console.error(`not as a fresh build: ${changed.join(", ")}; run node clients/browser/build.mjs`);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--player")) {
    const { text } = await bundle({ entryPoints: [file("tests/player.ts")], format: "esm" });
    writeFileSync(file("tests/player.js"), text);
  } else {
    await main(process.argv.includes("--check"));
  }
}
