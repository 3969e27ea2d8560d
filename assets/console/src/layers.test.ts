// Checks the imports between folders. A folder may import only from the folders listed before it.
// fields and charts must not import each other.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const src = fileURLToPath(new URL(".", import.meta.url));
const layers = [["texts"], ["core"], ["fields", "charts"], ["resource"], ["pages"], ["frame"], ["main.tsx"]];

const rankOf = (name: string) => layers.findIndex((layer) => layer.includes(name));

test("imports go downwards", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.test)\.tsx?$/.test(name));
  const upwards: string[] = [];
  for (const name of files) {
    const own = name.split("/")[0]!;
    for (const [, address] of readFileSync(join(src, name), "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]*)"/g)) {
      const other = normalize(join(dirname(name), address!)).split("/")[0]!;
      if (other !== own && other !== "icon.svg" && rankOf(other) >= rankOf(own)) {
        upwards.push(`${name} imports ${address}`);
      }
    }
  }
  expect(files.map((name) => name.split("/")[0]!).filter((name) => rankOf(name) < 0)).toEqual([]);
  expect(upwards).toEqual([]);
});
