// Writes src/schema.ts and src/api.ts: types of the resources of openapi.yaml in the form
// in which a person would write them, and one method for each row of the tables.
//
//   node scripts/generate.mjs           writes them
//   node scripts/generate.mjs --check   fails when they differ

import { readFileSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "./strip.mjs";
import openapi, { astToString } from "openapi-typescript";
import ts from "typescript";
import { parse } from "yaml";

const here = new URL("..", import.meta.url);
const spec = parse(readFileSync(new URL("../../openapi.yaml", here), "utf8"), { merge: true });
const f = ts.factory;

/** Schemas with names that already have a meaning in TypeScript. */
const renamed = { Error: "ErrorBody" };
const typeName = (name) => renamed[name] ?? name;

const header = "// Generated from openapi.yaml by scripts/generate.mjs. Do not edit.\n\n";

/** Makes enumerations open, lets optional fields be undefined, and gives references plain names. */
function natural(node) {
  return ts.visitEachChild(node, visit, undefined);
}

function visit(node) {
  if (ts.isIndexedAccessTypeNode(node)) {
    const name = /^components\["schemas"\]\["(\w+)"\]$/.exec(print(node))?.[1];
    if (name) {
      return f.createTypeReferenceNode(typeName(name));
    }
  }
  if (ts.isPropertySignature(node)) {
    const type = open(ts.visitNode(node.type, visit));
    const optional = node.questionToken ? union([type, f.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword)]) : type;
    return f.updatePropertySignature(node, node.modifiers, node.name, node.questionToken, optional);
  }
  return natural(node);
}

// The generator represents string literals as identifiers with quotes.
const isText = (node) => ts.isIdentifier(node) && node.text.startsWith('"');
const isFlag = (node) =>
  ts.isLiteralTypeNode(node) && [ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(node.literal.kind);

function open(type) {
  if (isFlag(type)) {
    return f.createKeywordTypeNode(ts.SyntaxKind.BooleanKeyword);
  }
  const members = flatten(type);
  if (!members.some(isText)) {
    return type;
  }
  const anyText = f.createParenthesizedType(
    f.createIntersectionTypeNode([f.createKeywordTypeNode(ts.SyntaxKind.StringKeyword), f.createTypeLiteralNode([])]),
  );
  const rest = members.filter((member) => !isText(member));
  return union([...members.filter(isText), anyText, ...rest]);
}

function union(types) {
  return f.createUnionTypeNode(types.flatMap(flatten));
}

const flatten = (type) => (ts.isUnionTypeNode(type) ? type.types.flatMap(flatten) : [type]);

const print = (node) => astToString([node]).trim();

async function schemaFile() {
  const document = { openapi: spec.openapi, info: spec.info, paths: {}, components: { schemas: spec.components.schemas } };
  const nodes = await openapi(document, { emptyObjectsUnknown: false, defaultNonNullable: false });
  const components = nodes.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === "components");
  const schemas = components.members.find((member) => member.name.text === "schemas").type.members;
  const exported = [f.createModifier(ts.SyntaxKind.ExportKeyword)];
  const out = schemas.map((member) => {
    const name = typeName(member.name.text);
    const type = open(ts.visitNode(member.type, visit));
    const declared =
      ts.isTypeLiteralNode(type) && type.members.every(ts.isPropertySignature)
        ? f.createInterfaceDeclaration(exported, name, undefined, undefined, type.members)
        : f.createTypeAliasDeclaration(exported, name, undefined, type);
    const { description } = spec.components.schemas[member.name.text];
    return comment(description ?? `${words(name)}.`, "") + print(declared) + "\n";
  });
  const helper = "/** T whose fields K are there. */\nexport type WithRequired<T, K extends keyof T> = T & { [P in K]-?: Exclude<T[P], undefined> };\n\n";
  return header + helper + tidy(out.join("\n"));
}

/** Reduces comments to their text, on one line if it fits. */
const tidy = (text) =>
  text.replace(/( *)\/\*\*([\s\S]*?)\*\//g, (_, indent, body) => {
    const lines = body
      .split("\n")
      .map((line) => line.replace(/^ *\* ?/, "").trim())
      .filter((line) => !/^(@enum|Format:|@constant)/.test(line))
      .map((line) => line.replace(/^@description /, "").replace(/^@default (.*)/, "Default `$1`."))
      .join("\n")
      .trim();
    return lines.includes("\n") ? comment(lines, indent).trimEnd() : `${indent}/** ${lines} */`;
  });

const words = (name) => {
  const text = name.replace(/([a-z])([A-Z])/g, (_, a, b) => a + " " + b.toLowerCase());
  return text[0].toUpperCase() + text.slice(1);
};

const comment = (text, indent) =>
  `${indent}/**\n` +
  text
    .trim()
    .split("\n")
    .map((line) => `${indent} * ${line}`.trimEnd() + "\n")
    .join("") +
  `${indent} */\n`;

function resolve(node) {
  while (node.$ref) {
    node = node.$ref.slice(2).split("/").reduce((at, key) => at[key], spec);
  }
  return node;
}

/** The types of the small unnamed schemas of parameters and responses. */
function typeOf(schema, used) {
  if (schema.$ref) {
    const name = typeName(schema.$ref.split("/").pop());
    used.add(name);
    return name;
  }
  const nullable = schema.nullable ? " | null" : "";
  if (schema.allOf) {
    return schema.allOf.map((part) => typeOf(part, used)).join(" & ") + nullable;
  }
  if (schema.enum && schema.type === "string") {
    return [...schema.enum.filter((value) => value !== null).map((value) => JSON.stringify(value)), "(string & {})"].join(" | ") + nullable;
  }
  if (schema.type === "array") {
    return `${typeOf(schema.items, used)}[]` + nullable;
  }
  if (schema.type === "object") {
    const fields = Object.entries(schema.properties ?? {}).map(
      ([name, field]) => `${name}${schema.required?.includes(name) ? "" : "?"}: ${typeOf(field, used)}`,
    );
    return (fields.length ? `{ ${fields.join("; ")} }` : "Record<string, unknown>") + nullable;
  }
  return ({ integer: "number", number: "number", boolean: "boolean", string: "string" }[schema.type] ?? "unknown") + nullable;
}

const shape = (path) => path.replace(/{\w+}/g, "{}");
const byShape = Object.fromEntries(Object.keys(spec.paths).map((path) => [shape(path), path]));
const camel = (text) => text.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
const upper = (text) => text[0].toUpperCase() + text.slice(1);

/** Fields that the client fills in if a call omits them. */
const filled = { "POST /admin/projects": ["project_key"] };

function apiFile(tables) {
  const used = new Set();
  const queries = [];
  const interfaces = Object.entries(tables).map(([name, { table, about }]) => {
    const prefix = { ClientApi: "", PublicApi: "Public", AdminApi: "" }[name];
    const methods = table.map((row) => method(row, prefix, queries, used));
    return `${comment(about, "")}export interface ${name} {\n${methods.join("\n")}}\n`;
  });
  return tidy(
    header +
    'import type { CallOptions } from "./bind.js";\n' +
    `import type {\n${[...used].sort().map((name) => `  ${name},\n`).join("")}} from "./schema.js";\n\n` +
    [...queries, ...interfaces].join("\n")
  );
}

function method(row, prefix, queries, used) {
  const [name, verb, path, flags] = row;
  const item = spec.paths[byShape[shape(path)]];
  const operation = item[verb.toLowerCase()];
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const args = [...path.matchAll(/{(\w+)}/g)]
    .map(([, argument]) => argument)
    .filter((argument) => argument !== "k")
    .map((argument) => {
      const at = path.split("/").indexOf(`{${argument}}`);
      const theirs = byShape[shape(path)].split("/")[at].slice(1, -1);
      const { schema } = parameters.find((parameter) => parameter.name === theirs);
      return `${camel(argument === "v" ? "version" : argument)}: ${schema.type === "integer" ? "number" : "string"}`;
    });
  const query = parameters.filter((parameter) => parameter.in === "query");
  let pageQuery = "";
  // The client knows its own identifier.
  const own = path.endsWith("/events/me");
  if (flags[0] === "?") {
    const type = `${prefix}${upper(name)}Query`;
    const fields = query.map((parameter) => {
      const text = comment(parameter.description ?? `${words(camel(parameter.name))}.`, "  ");
      const type = typeOf(resolve(parameter.schema), used);
      return text + `  ${parameter.name}` + (parameter.required && !own ? `: ${type};\n` : `?: ${type} | null | undefined;\n`);
    });
    queries.push(comment(`Query of \`${name}\`.`, "") + `export interface ${type} {\n${fields.join("")}}\n`);
    const needed = query.some((parameter) => parameter.required) && !own;
    args.push(`query${needed ? "" : "?"}: ${type}`);
    pageQuery = `query?: Omit<${type}, "limit" | "offset">`;
  } else if (flags[0] === "!" || flags[0] === "+") {
    const body = resolve(operation.requestBody);
    const free = filled[`${verb} ${path}`];
    let type = typeOf(body.content["application/json"].schema, used);
    if (free) {
      type = `Omit<${type}, ${free.map((field) => `"${field}"`).join(" | ")}> & Partial<Pick<${type}, ${free.map((field) => `"${field}"`).join(" | ")}>>`;
    }
    args.push(`body${body.required ? "" : "?"}: ${type}`);
  } else if (flags[0] === "#") {
    args.push("bytes: Uint8Array | Blob | ArrayBuffer");
  }
  args.push("options?: CallOptions");
  const [, success] = Object.entries(operation.responses).find(([status]) => /^20[012]$/.test(status));
  const answer = typeOf(resolve(success).content["application/json"].schema, used);
  const text = [operation.summary + ".", operation.description].filter(Boolean).join("\n\n");
  let out = comment(text, "  ") + `  ${name}(${args.join(", ")}): Promise<${answer}>;\n`;
  if (flags.includes("*")) {
    out +=
      comment(`Walks all pages of \`${name}\`.`, "  ") +
      `  ${name.replace("list", "iter")}(${pageQuery}, options?: CallOptions): AsyncGenerator<${answer}["data"][number], void, undefined>;\n`;
  }
  return out;
}

const source = await stripTypeScriptTypes(new URL("src/methods.ts", here));
const files = {
  "src/schema.ts": await schemaFile(),
  "src/api.ts": apiFile({
    ClientApi: { table: source.clientTable, about: "Calls of the client itself." },
    PublicApi: { table: source.publicTable, about: "Calls without a credential." },
    AdminApi: { table: source.adminTable, about: "Calls with a credential." },
  }),
};
let same = true;
for (const [name, text] of Object.entries(files)) {
  const url = new URL(name, here);
  if (process.argv.includes("--check")) {
    if (readFileSync(url, "utf8") !== text) {
      same = false;
      console.error(`${name} differs from openapi.yaml: npm run generate`);
    }
  } else {
    writeFileSync(url, text);
  }
}
process.exitCode = same ? 0 : 1;
