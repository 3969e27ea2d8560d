// Bundles the styles of Mantine's components with their scripts, so that only the styles of
// components in use are loaded. Mantine has one style file per component. If two styles apply to
// the same element, the style of the component that builds on the other one comes last.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const library = join(dirname(fileURLToPath(import.meta.resolve("@mantine/core"))), "..");
const components = join(library, "esm/components");
const stylesOf = (name: string) => join(library, "styles", `${name}.layer.css`);

// Their own style files are imported after these.
const before: Record<string, string[]> = { Modal: ["ModalBase"], Drawer: ["ModalBase"] };

/** Names of the components that a component builds on. */
function foundations(component: string): string[] {
  const folder = join(components, component);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".mjs"));
  const imported = files.flatMap((name) => [
    ...readFileSync(join(folder, name), "utf8").matchAll(/from "(?:\.\.\/)+(?:utils\/)?(\w+)\/\1\.mjs"/g),
  ]);
  return [...new Set(imported.map(([, name]) => name!))].filter((name) => name !== component && existsSync(stylesOf(name)));
}

/** Position of a component's styles in a file; -1 if it does not contain them. */
function placeOf(component: string, css: string): number {
  const [name] = /\.m_[0-9a-f]+/.exec(readFileSync(stylesOf(component), "utf8")) ?? [];
  return name ? css.search(new RegExp(`\\${name}\\b`)) : -1;
}

export function mantineStyles(): Plugin {
  let serving = false;
  return {
    name: "mantine-styles",
    configResolved({ command }) {
      serving = command === "serve";
    },
    transform: {
      filter: { id: [/@mantine\/core\/esm\/.*\.module\.mjs$/, /src\/main\.tsx$/] },
      handler(code, id) {
        if (id.endsWith("main.tsx")) {
          // During development, the library is a single file.
          return serving ? { code: `import "@mantine/core/styles.layer.css";${code}`, map: null } : null;
        }
        const name = /(\w+)\.module\.mjs$/.exec(id)![1]!;
        const files = [...(before[name] ?? []), name].map(stylesOf);
        return { code: `${files.map((path) => `import ${JSON.stringify(path)};`).join("\n")}\n${code}`, map: null };
      },
    },
    generateBundle(_options, bundle) {
      const styled = readdirSync(components).filter((name) => existsSync(stylesOf(name)));
      for (const file of Object.values(bundle)) {
        if (file.type !== "asset" || !file.fileName.endsWith(".css")) {
          continue;
        }
        const css = String(file.source);
        for (const component of styled) {
          const place = placeOf(component, css);
          const late = foundations(component).filter((name) => place >= 0 && placeOf(name, css) > place);
          if (late.length) {
            this.error(`${file.fileName} has the styles of ${late.join(", ")} after those of ${component}, which is built upon them`);
          }
        }
      }
    },
  };
}
