// Creates a document for each page of the console. It names the files that the page needs, so that
// the browser requests them at once instead of after the script of the frame has run.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The documents by file name, which is "page" and the path with dots instead of slashes. index is
 * the document of all other paths.
 */
export function pages(root, output, index) {
  const router = readFileSync(join(root, "src/frame/router.tsx"), "utf8");
  const routes = [...router.matchAll(/"(\/[\w/-]*)".*import\("(\.[^"]+)"\)/g)];
  if (routes.length !== router.split('import("').length - 1) {
    throw new Error("src/frame/router.tsx: a page is not on one line with its path");
  }
  return new Map(
    routes.map(([, path, page]) => {
      const address = path === "/login" ? path : `/admin${path}`.replace(/\/$/, "");
      const links = [...needed(output, moduleOf(root, page))]
        .filter((name) => !index.includes(name))
        .map(
          (name) =>
            `    <link rel="${name.endsWith(".css") ? 'preload" as="style' : "modulepreload"}" crossorigin href="/console/${name}">\n`,
        );
      return [`page${address.replaceAll("/", ".")}.html`, index.replace("  </head>", `${links.join("")}  </head>`)];
    }),
  );
}

function moduleOf(root, page) {
  return [`${page}.tsx`, `${page}/index.tsx`].map((name) => join(root, "src/frame", name)).find(existsSync);
}

/** The names of a chunk, of all its imports, and of their style sheets. */
function needed(output, module) {
  const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const names = new Set();
  const add = (name) => {
    if (!names.has(name)) {
      names.add(name);
      const { imports, viteMetadata } = chunks.get(name);
      imports.forEach(add);
      for (const sheet of viteMetadata?.importedCss ?? []) {
        names.add(sheet);
      }
    }
  };
  add([...chunks.values()].find(({ facadeModuleId }) => facadeModuleId === module).fileName);
  return names;
}
