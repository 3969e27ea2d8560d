// Says the same with less: rewrites one module of plain JavaScript, with the compiler's
// own parser, factory and printer, until nothing changes. Every rule keeps what is
// evaluated, in which order, and what comes out of it.

/**
 * Rewrites the text of a module.
 *
 * @param ts the compiler's module
 * @param text a module that the compiler has emitted, in strict mode like every module
 * @returns a module that does the same
 */
export function shorten(ts, text) {
  const printer = ts.createPrinter({ removeComments: true, neverAsciiEscape: true });
  for (let before; before !== text; ) {
    before = text;
    const source = ts.createSourceFile("module.js", text, ts.ScriptTarget.ES2020, true, ts.ScriptKind.JS);
    const { transformed } = ts.transform(source, [(context) => (root) => rewrite(ts, root, context)]);
    text = printer.printFile(transformed[0]);
  }
  return text;
}

function rewrite(ts, root, context) {
  const { factory: f, SyntaxKind: Kind } = ts;
  const not = (e) =>
    ts.isPrefixUnaryExpression(e) && e.operator === Kind.ExclamationToken ? inner(e.operand) : negated(e) ?? f.createLogicalNot(e);
  /** The opposite of a comparison, which is as short as the comparison; undefined for anything else. */
  const negated = (e) => {
    const opposite = ts.isBinaryExpression(e) && {
      [Kind.EqualsEqualsEqualsToken]: Kind.ExclamationEqualsEqualsToken,
      [Kind.ExclamationEqualsEqualsToken]: Kind.EqualsEqualsEqualsToken,
      [Kind.EqualsEqualsToken]: Kind.ExclamationEqualsToken,
      [Kind.ExclamationEqualsToken]: Kind.EqualsEqualsToken,
    }[e.operatorToken.kind];
    return opposite ? f.createBinaryExpression(e.left, opposite, e.right) : undefined;
  };
  const inner = (e) => (ts.isParenthesizedExpression(e) ? inner(e.expression) : e);
  const isPicky = (e) => ts.isBinaryExpression(e) && [Kind.AsteriskAsteriskToken, Kind.QuestionQuestionToken].includes(e.operatorToken.kind);
  const isNot = (e) => ts.isPrefixUnaryExpression(e) && e.operator === Kind.ExclamationToken;
  const only = (s) => (s && ts.isBlock(s) && s.statements.length === 1 ? s.statements[0] : s);
  /** `test && value` as a statement. */
  const when = (test, value) =>
    f.createExpressionStatement(isNot(test) ? f.createLogicalOr(inner(test.operand), value) : f.createLogicalAnd(test, value));
  const choice = (test, yes, no) =>
    isNot(test) ? f.createConditionalExpression(inner(test.operand), undefined, no, undefined, yes) : f.createConditionalExpression(test, undefined, yes, undefined, no);
  const comma = (a, b) => f.createBinaryExpression(a, Kind.CommaToken, b);
  const valueOf = (s) => s && ts.isReturnStatement(s) && s.expression;

  /** Statements that follow each other, as fewer. */
  const joined = (statements) => {
    const out = [];
    for (const next of statements) {
      const last = out.at(-1);
      const earlier = last && ts.isExpressionStatement(last) ? last.expression : undefined;
      if (earlier && ts.isStringLiteral(earlier)) {
        out.push(next); // a directive
      } else if (earlier && ts.isExpressionStatement(next)) {
        out[out.length - 1] = f.createExpressionStatement(comma(earlier, next.expression));
      } else if (earlier && valueOf(next)) {
        out[out.length - 1] = f.createReturnStatement(comma(earlier, next.expression));
      } else if (earlier && ts.isThrowStatement(next)) {
        out[out.length - 1] = f.createThrowStatement(comma(earlier, next.expression));
      } else if (earlier && ts.isIfStatement(next)) {
        out[out.length - 1] = f.createIfStatement(comma(earlier, next.expression), next.thenStatement, next.elseStatement);
      } else if (last && ts.isIfStatement(last) && !last.elseStatement && valueOf(only(last.thenStatement)) && valueOf(next)) {
        out[out.length - 1] = f.createReturnStatement(choice(last.expression, only(last.thenStatement).expression, next.expression));
      } else {
        out.push(next);
      }
    }
    return out;
  };
  const isPlain = (node) => {
    let plain = true;
    const look = (at) => {
      if (at.kind === Kind.ThisKeyword || at.kind === Kind.SuperKeyword || ts.isMetaProperty(at) || (ts.isIdentifier(at) && at.text === "arguments")) {
        plain = false;
      }
      (ts.isClassLike(at) || ts.isFunctionDeclaration(at) || ts.isFunctionExpression(at)) && at !== node ? undefined : ts.forEachChild(at, look);
    };
    look(node);
    return plain;
  };
  const visit = (node) => {
    const at = ts.visitEachChild(node, visit, context);
    if (ts.isParenthesizedExpression(at)) {
      // The factory puts back what is needed, but does not know what `**` and `??` forbid.
      return isPicky(node.parent) || isPicky(node.expression) ? at : at.expression;
    }
    if (at.kind === Kind.TrueKeyword || at.kind === Kind.FalseKeyword) {
      return f.createLogicalNot(f.createNumericLiteral(at.kind === Kind.TrueKeyword ? 0 : 1));
    }
    if (ts.isNumericLiteral(at) && /^[1-9]\d*000$/.test(at.text)) {
      return f.createNumericLiteral(at.text.replace(/0+$/, (zeros) => `e${zeros.length}`));
    }
    if (ts.isBinaryExpression(at) && at.operatorToken.kind === Kind.PlusToken && ts.isStringLiteral(at.left) && ts.isStringLiteral(at.right)) {
      return f.createStringLiteral(at.left.text + at.right.text);
    }
    if (ts.isFunctionDeclaration(at) && !at.asteriskToken && isPlain(at)) {
      const arrow = f.createArrowFunction(at.modifiers, undefined, at.parameters, undefined, undefined, at.body);
      return f.createVariableStatement(undefined, f.createVariableDeclarationList([f.createVariableDeclaration(at.name, undefined, undefined, arrow)], ts.NodeFlags.Let));
    }
    if (ts.isArrowFunction(at) && ts.isBlock(at.body) && at.body.statements.length === 1) {
      const [first] = at.body.statements;
      if (valueOf(first)) {
        return f.updateArrowFunction(at, at.modifiers, undefined, at.parameters, undefined, at.equalsGreaterThanToken, first.expression);
      }
    }
    if (ts.isIfStatement(at)) {
      const [yes, no] = [only(at.thenStatement), only(at.elseStatement)];
      if (ts.isExpressionStatement(yes)) {
        if (!no) {
          return when(at.expression, yes.expression);
        }
        if (ts.isExpressionStatement(no)) {
          return f.createExpressionStatement(choice(at.expression, yes.expression, no.expression));
        }
      }
      if (valueOf(yes) && valueOf(no)) {
        return f.createReturnStatement(choice(at.expression, yes.expression, no.expression));
      }
    }
    if (ts.isExpressionStatement(at) && ts.isVoidExpression(at.expression)) {
      return f.createExpressionStatement(at.expression.expression);
    }
    if (isNot(at) && negated(inner(at.operand))) {
      return negated(inner(at.operand));
    }
    if (ts.isConditionalExpression(at) && isNot(at.condition)) {
      return choice(at.condition, at.whenTrue, at.whenFalse);
    }
    if (ts.isBlock(at)) {
      return f.updateBlock(at, joined(at.statements));
    }
    return at;
  };
  return ts.visitNode(root, visit);
}
