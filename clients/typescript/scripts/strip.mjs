// Loads a source module without building the package.

import { readFileSync } from "node:fs";
import ts from "typescript";

/** The exports of a TypeScript module that imports nothing but types. */
export async function stripTypeScriptTypes(url) {
  const { outputText } = ts.transpileModule(readFileSync(url, "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return import("data:text/javascript," + encodeURIComponent(outputText));
}
