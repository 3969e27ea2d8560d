// Makes one script of the modules that a TypeScript module imports, with the compiler of
// the TypeScript package alone.
//
// The compiler emits plain modules; these are read back, so that its checker tells which
// identifier means what. Imports and exports go, declarations that nothing refers to go,
// variables, functions, classes and private members get short names, and the tokens are
// written with as few blanks as they need. In between, shorten.mjs says the same with less.
// Nothing is evaluated or reordered.

import { dirname, resolve } from "node:path";
import { shorten } from "./shorten.mjs";

/** Letters of names, those first that the language and its library have most often. */
const letters = "trenaisoldcphufmgbvywkxjqz";

const extension = /\.[jt]s$/;

/** In between, a module that is imported when it is needed is a function of this name, behind a call of that one. */
const [later, load] = ["later$", "load$"];

/**
 * Bundles what an entry module exports. One module may be imported by `import()`: with what
 * only it needs it becomes a text of its own, whose default export makes its exports of
 * what it shares with the rest.
 *
 * @param ts the compiler's module
 * @param entry path of the TypeScript module whose exports are those of the bundle
 * @param name address of the second text, seen from the first; without one there is none
 * @returns the statements of all modules, the second text, and the short name of each exported name
 * @throws where the sources have errors, or a form that cannot be bundled
 */
export function bundle(ts, entry, name) {
  const hidden = new Set();
  const emitted = emit(ts, resolve(entry), hidden);
  const whole = linked(ts, emitted, entry.replace(extension, ".js"), new Set());
  const list = whole.exports.map(([name, short]) => `${short} as ${name}`).join(",");
  const one = resolve(dirname(entry), "bundle.js");
  return linked(ts, new Map([[one, shorten(ts, `${whole.code}\nexport{${list}};`)]]), one, hidden, name);
}

/** One text of the modules behind an entry, with short names for variables and for hidden members. */
function linked(ts, emitted, entry, hidden, name) {
  const program = readBack(ts, emitted);
  const checker = program.getTypeChecker();
  const files = inOrder(ts, program.getSourceFile(entry), program);
  const exported = exportsOf(ts, checker, files.at(-1));
  const imported = files.flatMap((file) => importedLater(ts, file)).map((path) => program.getSourceFile(path))[0];
  const all = [...files, ...(imported ? inOrder(ts, imported, program) : [])].filter((file, i, list) => list.indexOf(file) === i);
  const meanings = meaningsOf(ts, checker, all);
  const first = needed(ts, files, exported, meanings);
  const second = imported ? needed(ts, all, exportsOf(ts, checker, imported), meanings).filter((s) => !first.includes(s)) : [];
  const names = shortNames(ts, [...first, ...second], meanings, hidden);
  const exports = exported.map(([name, symbol]) => [name, names.of.get(symbol)]);
  if (imported) {
    const list = exportsOf(ts, checker, imported).map(([name, symbol]) => `${name}:${names.of.get(symbol)}`);
    const code = write(ts, first, meanings, names);
    return { code: `${code}\nfunction ${later}(){${write(ts, second, meanings, names)}\nreturn{${list}}}`, exports };
  }
  const apart = first.find((statement) => declared(ts, statement).some(({ text }) => text === later));
  if (!apart || !name) {
    const own = apart && names.of.get(meanings.get(declared(ts, apart)[0]));
    return { code: write(ts, first, meanings, names, `Promise.resolve().then(${own})`), exports };
  }
  const shared = names.shared(apart).join();
  const body = write(ts, [apart], meanings, names).replace(/^.*?(?={)/, "").replace(/;$/, "");
  const rest = first.filter((statement) => statement !== apart);
  return {
    code: write(ts, rest, meanings, names, `import("./${name}").then(({default:$})=>$(${shared}))`),
    later: `export default(${shared})=>${body}`,
    exports,
  };
}

/** The names that a module exports, with the symbols behind them. */
const exportsOf = (ts, checker, file) =>
  checker.getExportsOfModule(checker.getSymbolAtLocation(file)).map((symbol) => [symbol.name, target(ts, checker, symbol)]);

/** The paths of the modules that one imports by `import()`. */
function importedLater(ts, file) {
  const paths = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      paths.push(resolve(dirname(file.fileName), node.arguments[0].text));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return paths;
}

/** Compiles the sources to JavaScript modules by path, and collects names that only private members have. */
function emit(ts, entry, hidden) {
  const program = ts.createProgram([entry], {
    target: ts.ScriptTarget.ES2020,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2020.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    types: [],
    strict: true,
    skipLibCheck: true,
    removeComments: true,
    useDefineForClassFields: false,
    noEmitOnError: true,
  });
  const emitted = new Map();
  const { diagnostics } = program.emit(undefined, (path, text) => emitted.set(path, text));
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
  if (problems.length > 0) {
    const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => dirname(entry), getNewLine: () => "\n" };
    throw new Error(ts.formatDiagnostics(problems, host));
  }
  collectHidden(ts, program, hidden);
  return emitted;
}

/**
 * Adds the names that only hidden members have: private ones, and those of classes and
 * interfaces marked @internal. A name that anything else has, too, or that stands in a
 * string, stays.
 */
function collectHidden(ts, program, hidden) {
  const checker = program.getTypeChecker();
  const open = new Set();
  const isInternal = (node) => ts.getJSDocTags(node).some((tag) => tag.tagName.text === "internal");
  const isHidden = (symbol) =>
    symbol?.declarations?.length > 0 &&
    symbol.declarations.every((d) => ts.getCombinedModifierFlags(d) & ts.ModifierFlags.Private || isInternal(ts.isParameter(d) ? d.parent.parent : d.parent));
  const memberOf = (type, name) => type && checker.getNonNullableType(type).getProperty(name);
  const member = (node) => {
    const { parent } = node;
    if (ts.isBindingElement(parent)) {
      return memberOf(checker.getTypeAtLocation(parent.parent), node.text);
    }
    if (ts.isObjectLiteralExpression(parent.parent)) {
      return memberOf(checker.getContextualType(parent.parent), node.text);
    }
    return parent.name === node && parent.symbol && !ts.isPropertyAccessExpression(parent) ? parent.symbol : checker.getSymbolAtLocation(node);
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) {
      return; // nothing of it is left
    }
    if (ts.isStringLiteralLike(node)) {
      open.add(node.text);
    } else if (ts.isIdentifier(node) && (isPropertyName(ts, node) || ts.isParameterPropertyDeclaration(node.parent, node.parent.parent))) {
      (isHidden(member(node)) ? hidden : open).add(node.text);
    }
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) {
    if (!file.isDeclarationFile) {
      visit(file);
    }
  }
  open.forEach((name) => hidden.delete(name));
}

/** A program of the emitted modules without any library: what it does not know is global. */
function readBack(ts, emitted) {
  const options = {
    allowJs: true, noLib: true, noEmit: true, types: [], target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const host = ts.createCompilerHost(options);
  host.fileExists = (path) => emitted.has(path);
  host.readFile = (path) => emitted.get(path);
  host.getSourceFile = (path, version) => emitted.has(path) && ts.createSourceFile(path, emitted.get(path), version, true, ts.ScriptKind.JS);
  return ts.createProgram([...emitted.keys()], options, host);
}

/** The modules that one imports, each behind those that it imports, and itself at the end. */
function inOrder(ts, entry, program) {
  const done = [];
  const open = new Set();
  const visit = (file) => {
    if (done.includes(file)) {
      return;
    }
    if (open.has(file)) {
      throw new Error(`${file.fileName} imports itself through others`);
    }
    open.add(file);
    for (const statement of file.statements) {
      if (statement.moduleSpecifier) {
        visit(program.getSourceFile(resolve(dirname(file.fileName), statement.moduleSpecifier.text)));
      }
    }
    done.push(file);
  };
  visit(entry);
  return done;
}

/** What a symbol is under its own name, behind imports and exports. */
const target = (ts, checker, symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** Whether an identifier names a property, and no variable. */
function isPropertyName(ts, node) {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (parent.name === node && (ts.isPropertyAssignment(parent) || ts.isClassElement(parent) || ts.isTypeElement(parent) || ts.isShorthandPropertyAssignment(parent) || ts.isObjectLiteralElement(parent))) ||
    (ts.isBindingElement(parent) && (parent.propertyName || parent.name) === node && ts.isObjectBindingPattern(parent.parent) && !parent.dotDotDotToken) ||
    ts.isMetaProperty(parent)
  );
}

/** Whether an identifier stands for a property and a variable of one name, as in `{ name }`. */
const isBoth = (ts, node) =>
  ts.isShorthandPropertyAssignment(node.parent)
    ? node.parent.name === node
    : ts.isBindingElement(node.parent) && node.parent.name === node && !node.parent.propertyName && !node.parent.dotDotDotToken && ts.isObjectBindingPattern(node.parent.parent);

/** The symbol of every identifier that is a variable, by node; undefined for what is global. */
function meaningsOf(ts, checker, files) {
  const meanings = new Map();
  const visit = (node) => {
    if (ts.isIdentifier(node)) {
      if (isBoth(ts, node)) {
        const symbol = ts.isShorthandPropertyAssignment(node.parent)
          ? checker.getShorthandAssignmentValueSymbol(node.parent)
          : checker.getSymbolAtLocation(node);
        meanings.set(node, known(symbol));
      } else if (!isPropertyName(ts, node)) {
        meanings.set(node, known(checker.getSymbolAtLocation(node)));
      }
    }
    ts.forEachChild(node, visit);
  };
  const known = (symbol) => {
    const meant = symbol && checker.getExportSymbolOfSymbol(target(ts, checker, symbol));
    return meant?.declarations?.length > 0 ? meant : undefined;
  };
  for (const file of files) {
    ts.forEachChild(file, visit);
  }
  return meanings;
}

/** The statements of all modules in order, without imports, exports and what nothing needs. */
function needed(ts, files, exported, meanings) {
  const all = files.flatMap((file) => [...file.statements]).filter((s) => !ts.isImportDeclaration(s) && !ts.isExportDeclaration(s));
  const declares = new Map();
  for (const statement of all) {
    if (ts.isExportAssignment(statement)) {
      throw new Error(`${statement.getSourceFile().fileName} has a default export`);
    }
    for (const name of declared(ts, statement)) {
      declares.set(meanings.get(name), statement);
    }
  }
  const kept = new Set();
  const keep = (statement) => {
    if (!statement || kept.has(statement)) {
      return;
    }
    kept.add(statement);
    const visit = (node) => {
      if (ts.isIdentifier(node) && meanings.get(node)) {
        keep(declares.get(meanings.get(node)));
      }
      ts.forEachChild(node, visit);
    };
    visit(statement);
  };
  exported.forEach(([, symbol]) => keep(declares.get(symbol)));
  all.filter((statement) => !isPure(ts, statement)).forEach(keep);
  return all.filter((statement) => kept.has(statement));
}

/** The identifiers that a statement declares. */
const declared = (ts, statement) =>
  (ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement]).flatMap((d) => (d.name ? identifiers(ts, d.name) : []));

/** The identifiers that a name or a pattern declares. */
const identifiers = (ts, name) =>
  ts.isIdentifier(name) ? [name] : name.elements.flatMap((e) => (ts.isOmittedExpression(e) ? [] : identifiers(ts, e.name)));

/** Whether a statement does nothing when nobody uses what it declares. */
function isPure(ts, node) {
  if (ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
    return true;
  }
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.every((d) => ts.isIdentifier(d.name) && (!d.initializer || isPure(ts, d.initializer)));
  }
  if (ts.isClassDeclaration(node)) {
    return node.members.every((m) => !m.name || !ts.isComputedPropertyName(m.name));
  }
  if (ts.isNewExpression(node)) {
    return ["Map", "Set", "TextDecoder", "TextEncoder", "WeakMap"].includes(node.expression.text) && (node.arguments ?? []).every((a) => isPure(ts, a));
  }
  if (ts.isArrayLiteralExpression(node)) {
    return node.elements.every((e) => isPure(ts, e));
  }
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.every((p) => ts.isMethodDeclaration(p) || ts.isShorthandPropertyAssignment(p) || (ts.isPropertyAssignment(p) && isPure(ts, p.initializer)));
  }
  return ts.isLiteralExpression(node) || ts.isIdentifier(node) || [ts.SyntaxKind.NullKeyword, ts.SyntaxKind.TrueKeyword, ts.SyntaxKind.FalseKeyword].includes(node.kind);
}

/**
 * Short names for all symbols and hidden members; what is used more often gets its name
 * earlier. A variable of a function or block gets the first name that nothing has that is
 * referred to in there, so that most of them use the same few names, which compresses well.
 */
function shortNames(ts, statements, meanings, hidden) {
  const used = new Map(); // symbol, to how often
  const inside = new Map(); // function or block, to the symbols that it refers to
  const globals = new Set();
  const members = new Map();
  const kept = new Set(); // names of properties that stay
  const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  const visit = (node, scopes) => {
    if (ts.isIdentifier(node)) {
      const symbol = meanings.get(node);
      if (symbol) {
        count(used, symbol);
        scopes.forEach((scope) => inside.get(scope).add(symbol));
      } else if (meanings.has(node)) {
        globals.add(node.text);
      }
      if (!meanings.has(node) || isBoth(ts, node)) {
        hidden.has(node.text) ? count(members, node.text) : kept.add(node.text);
      }
    }
    if (isScope(ts, node)) {
      inside.set(node, new Set());
      scopes = [...scopes, node];
    }
    ts.forEachChild(node, (child) => visit(child, scopes));
  };
  statements.forEach((statement) => visit(statement, []));

  const often = (map) => [...map.keys()].sort((a, b) => map.get(b) - map.get(a));
  const of = new Map();
  const words = sequence(ts, letters, globals);
  for (const symbol of often(used)) {
    if (!ownerOf(ts, symbol)) {
      of.set(symbol, words.next().value);
    }
  }
  for (const [owner, symbols] of inside) { // outer ones come before those in them
    const taken = new Set([...globals, ...[...symbols].map((symbol) => of.get(symbol))]);
    const words = sequence(ts, letters, taken);
    for (const symbol of symbols) {
      if (ownerOf(ts, symbol) === owner) {
        of.set(symbol, words.next().value);
      }
    }
  }
  const rest = sequence(ts, letters, kept);
  return {
    of,
    member: new Map(often(members).map((name) => [name, rest.next().value])),
    /** Names of what a function refers to in the module. */
    shared(statement) {
      const own = declared(ts, statement).map((name) => meanings.get(name));
      const [symbols] = [...inside].find(([node]) => node.pos >= statement.pos && node.end <= statement.end && ts.isFunctionLike(node)).slice(1);
      return [...symbols].filter((symbol) => !ownerOf(ts, symbol) && !own.includes(symbol)).map((symbol) => of.get(symbol));
    },
  };
}

/** The function or block that a symbol belongs to, or undefined for one of a module. */
function ownerOf(ts, symbol) {
  const declaration = symbol.valueDeclaration ?? symbol.declarations[0];
  const own = ts.isFunctionExpression(declaration) || ts.isParameter(declaration);
  for (let at = own ? declaration : declaration.parent; at; at = at.parent) {
    if (isScope(ts, at) && at !== (ts.isFunctionDeclaration(declaration) ? declaration : undefined)) {
      return at;
    }
  }
  return undefined;
}

/** Whether a node has names of its own. The body of a function or a catch clause may not repeat those of its head. */
const isScope = (ts, node) =>
  ts.isFunctionLike(node) || ts.isCatchClause(node) || ts.isForStatement(node) || ts.isForOfStatement(node) || ts.isForInStatement(node) || ts.isCaseBlock(node) ||
  (ts.isBlock(node) && !ts.isFunctionLike(node.parent) && !ts.isCatchClause(node.parent));

/** Names of the letters that are neither taken nor words of the language: single letters, then pairs and so on. */
function* sequence(ts, letters, taken) {
  for (let i = 0; ; i++) {
    let name = "";
    for (let rest = i; rest >= 0; rest = Math.floor(rest / letters.length) - 1) {
      name = letters[rest % letters.length] + name;
    }
    if (!taken.has(name) && ts.identifierToKeywordKind(ts.factory.createIdentifier(name)) === undefined) {
      yield name;
    }
  }
}

/**
 * Writes statements under short names, with blanks only where two tokens would become
 * one. Left out are braces around one simple statement, parentheses that change nothing,
 * the last semicolon of a block and the last comma of a list; declarations that follow each other become one, and
 * const becomes let, which means the same in code that the compiler has accepted.
 */
function write(ts, statements, meanings, names, loading) {
  const { SyntaxKind } = ts;
  let out = "";
  const put = (text) => {
    const joins = /[\w$\u0080-\uffff]$/.test(out) && /^[\w$\u0080-\uffff]/.test(text);
    const signs = /[+\-/]$/.test(out) && /^[+\-/]/.test(text);
    const number = /[0-9]$/.test(out) && text.startsWith(".");
    out += (joins || signs || number ? " " : "") + text;
  };
  const identifier = (node) => {
    const short = names.of.get(meanings.get(node)) ?? (meanings.has(node) ? node.text : (names.member.get(node.text) ?? node.text));
    const key = names.member.get(node.text) ?? node.text;
    put(isBoth(ts, node) && short !== key ? `${key}:${short}` : short);
  };
  // last says that the closing brace of a block follows.
  const list = (statements, last, between = "") =>
    statements.forEach((statement, i) => {
      const next = statements[i + 1];
      const [joinsNext, joined] = [mergeable(ts, statement, next), mergeable(ts, statements[i - 1], statement)];
      const ends = last && !next;
      if (ts.isVariableStatement(statement)) {
        const { declarationList } = statement;
        joined || put("let");
        nodes(declarationList.getChildren().slice(1), false);
        ends || put(joinsNext ? "," : ";");
      } else {
        node(statement, ends);
      }
      out += next ? between : "";
    });
  const nodes = (children, last) => children.forEach((child, i) => node(child, last && i === children.length - 1));
  const node = (at, last) => {
    if (ts.isIdentifier(at)) {
      return identifier(at);
    }
    if (ts.isCallExpression(at) && at.expression.kind === SyntaxKind.ImportKeyword) {
      return put(`${load}(${later})`);
    }
    if (ts.isCallExpression(at) && at.expression.text === load) {
      return put(loading);
    }
    const { parent } = at;
    const children = at.getChildren().filter((child) => !ts.isJSDoc(child));
    if (at.kind === SyntaxKind.SyntaxList && children.at(-1)?.kind === SyntaxKind.CommaToken && !ts.isOmittedExpression(children.at(-2))) {
      return nodes(children.slice(0, -1), false);
    }
    if (ts.isNewExpression(at) && at.arguments?.length === 0 && !ts.isAccessExpression(parent) && !ts.isCallExpression(parent) && !ts.isNewExpression(parent)) {
      return nodes(children.slice(0, 2), false);
    }
    if (ts.isBlock(at) && at.statements.length === 1 && isSimple(ts, at.statements[0]) && (ts.isIfStatement(parent) || ts.isIterationStatement(parent, false)) && !ts.isDoStatement(parent)) {
      return node(at.statements[0], last);
    }
    if (ts.isBlock(at)) {
      put("{");
      list(at.statements, true);
      return put("}");
    }
    if (ts.isParenthesizedExpression(at) && isNeedless(ts, at)) {
      return node(at.expression, false);
    }
    if (ts.isArrowFunction(at) && at.parameters.length === 1 && ts.isIdentifier(at.parameters[0].name) && at.parameters[0].getChildren().length === 1) {
      return nodes(children.filter((child) => child.kind !== SyntaxKind.OpenParenToken && child.kind !== SyntaxKind.CloseParenToken), false);
    }
    if (children.length > 0) {
      return nodes(children, last && !ts.isDoStatement(at));
    }
    const droppable = at.kind === SyntaxKind.SemicolonToken && last && !ts.isEmptyStatement(parent);
    if (at.kind !== SyntaxKind.ExportKeyword && !droppable) {
      put(at.kind === SyntaxKind.ConstKeyword ? "let" : at.getText());
    }
  };
  list(statements, false, "\n");
  return out;
}

/** Whether two statements declare variables that could be declared by one. */
const mergeable = (ts, one, other) => !!one && !!other && ts.isVariableStatement(one) && ts.isVariableStatement(other);

/** Whether a statement can stand without braces wherever a block can. */
const isSimple = (ts, statement) =>
  ts.isExpressionStatement(statement) || ts.isReturnStatement(statement) || ts.isThrowStatement(statement) || ts.isBreakStatement(statement) || ts.isContinueStatement(statement);

/** Whether parentheses can be left out: a whole value stands between them, and it cannot be taken for a block. */
function isNeedless(ts, { parent, expression }) {
  if (ts.isBinaryExpression(expression) && expression.operatorToken.kind === ts.SyntaxKind.CommaToken) {
    return false;
  }
  if (ts.isArrowFunction(parent)) {
    return expression.getFirstToken().kind !== ts.SyntaxKind.OpenBraceToken;
  }
  return ts.isReturnStatement(parent) || ts.isThrowStatement(parent) || ts.isVariableDeclaration(parent) || (ts.isCallExpression(parent) && parent.arguments.includes(expression.parent));
}
