// The licences of the packages in a build.

import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

const mit = readFileSync(new URL("mit.txt", import.meta.url), "utf8");

/** All licences as one text. Throws if a package has none. */
export function licences(root, output) {
  const packages = new Map();
  for (const { modules } of output) {
    for (const id of Object.keys(modules ?? {})) {
      const parts = id.replace(/^\0/, "").split("?")[0].split(`${sep}node_modules${sep}`);
      if (parts.length > 1) {
        const [scope, name] = parts.pop().split(sep);
        const full = scope.startsWith("@") ? `${scope}/${name}` : scope;
        packages.set(full, join(root, "node_modules", ...parts.slice(1).flatMap((part) => [part, "node_modules"]), full));
      }
    }
  }
  // Style sheets and data files are not modules of the build.
  for (const name of ["@mantine/core", "@mantine/dates", "@mantine/notifications"]) {
    packages.set(name, join(root, "node_modules", name));
  }
  return [...packages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, folder]) => {
      const { version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
      // Some packages only name their licence.
      const named = license === "MIT" && `Copyright (c) ${author?.name ?? author ?? `the authors of ${name}`}\n\n${mit}`;
      const text = file ? readFileSync(join(folder, file), "utf8") : named;
      if (!text) {
        throw new Error(`${name} has no licence`);
      }
      return `${name} ${version} (${license})\n\n${text.trim().replaceAll("\r\n", "\n")}\n`;
    })
    .join(`\n${"-".repeat(80)}\n\n`);
}
