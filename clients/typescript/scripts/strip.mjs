// Loads a source module without building the package.

import { readFileSync } from "node:fs";
import ts from "typescript";

/** The exports of a TypeScript module. */
export const stripTypeScriptTypes = (url) => import(stripped(url));

/** Returns a module, including the local modules that it imports, as a data URL. */
function stripped(url) {
  const { outputText } = ts.transpileModule(readFileSync(url, "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const whole = outputText.replace(/from "(\.\/\w+)\.js"/g, (_, name) => `from "${stripped(new URL(name + ".ts", url))}"`);
  return "data:text/javascript," + encodeURIComponent(whole);
}
