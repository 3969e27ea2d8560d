// Compiles the sources to ESM and CJS with declarations, into dist.

import { rmSync, writeFileSync } from "node:fs";
import ts from "typescript";

const root = new URL("..", import.meta.url).pathname;
rmSync(`${root}dist`, { recursive: true, force: true });

for (const [kind, module, type] of [
  ["esm", ts.ModuleKind.NodeNext, "module"],
  ["cjs", ts.ModuleKind.CommonJS, "commonjs"],
]) {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  Object.assign(options, { outDir: `${root}dist/${kind}` });
  if (kind === "cjs") {
    Object.assign(options, { module, moduleResolution: ts.ModuleResolutionKind.Node10, verbatimModuleSyntax: false });
  }
  const program = ts.createProgram(fileNames, options);
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  if (problems.length) {
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => root, getNewLine: () => "\n" };
    console.error(ts.formatDiagnosticsWithColorAndContext(problems, host));
    process.exit(1);
  }
  writeFileSync(`${root}dist/${kind}/package.json`, JSON.stringify({ type, sideEffects: false }) + "\n");
}
