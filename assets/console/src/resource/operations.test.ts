import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { summaries } from "../texts/zh/operations";

const root = fileURLToPath(new URL("../..", import.meta.url));

const pages = join(root, "src/pages");
const named = new Set(
  readdirSync(pages, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => [...readFileSync(join(pages, file), "utf8").matchAll(/operations[:=][ {]*\[([^\]]*)\]/g)])
    .flatMap(([, list]) => [...list!.matchAll(/"(\w+)"/g)].map(([, id]) => id!)),
);

it("pages name operations that the API reference describes", () => {
  const known = new Set([...readFileSync(join(root, "../../openapi.yaml"), "utf8").matchAll(/operationId: (\w+)/g)].map(([, id]) => id!));
  expect(named.size).toBeGreaterThan(30);
  expect([...named].filter((id) => !known.has(id))).toEqual([]);
});

it("each of these operations is described in Chinese, too", () => {
  expect(Object.keys(summaries).sort()).toEqual([...named].sort());
});
