// What shorten.mjs makes of a text does the same.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { shorten } from "../shorten.mjs";

const ts = createRequire(import.meta.url)("typescript");

/** Every case is the body of a function that gets `log` and is called with each of the values. */
const cases = {
  "a condition as a statement": "if (x) log(x); if (!x) { log('none'); } return 1;",
  "a condition with two branches": "if (!x) { log('no') } else log('yes');",
  "returns one after the other": "if (x === null) { return 'null' } if (x) { return 'yes' } return 'no';",
  "returns of both branches": "if (!x) return [1]; else return [2];",
  "calls before a return and a throw": "log(1); log(2); try { if (x) { log(3); throw x; } } catch (e) { log(e); return e; } log(4); return 5;",
  "a dangling else": "if (x) { if (x > 1) log('many'); } else { log('none'); } return 0;",
  "a branch with more than one statement": "if (x) { log(1); log(2); } log(3);",
  "a declaration in a branch": "let y = 1; if (x) { let y = 2; log(y); } return y;",
  "assignments and commas in an argument": "let y; const f = (a, b) => [a, b]; if (x) y = 1; return f((log(y), y), (y = 2));",
  "a returned object": "const f = () => { return { x }; }; return f().x;",
  "a function with its own this": "const o = { v: x, f() { function g() { return this; } return [this.v, g()]; } }; return o.f();",
  "a function with arguments": "function f() { return arguments.length; } return f(x, x, x);",
  "this inside an arrow of a function": "function f() { return (() => this)(); } return f.call(7);",
  "a generator and a function that waits": "function* f() { yield x; yield true; } async function g() { await x; } return [[...f()], g() instanceof Promise];",
  "a function that calls itself": "function f(n) { if (n > 3) { return [n]; } return [n, ...f(n + 1)]; } return f(1);",
  "flags": "return [true, false, !true, !!x, x === true, typeof true];",
  "operators of different strength": "return [(x || 1) && 2, (x ?? 1) + 1, (-(x ? 1 : 2)) ** 2, (x || 0) ?? 1, (x ?? 0) || 1, (1, x), !(x && 1), (() => x)()];",
  "a negated comparison": "return [!(x === 1), !(x == null), !(x !== x), !(x > 1), !(x <= 1)];",
  "a choice on a negation": "return !x ? 'a' : x === 1 ? 'b' : 'c';",
  "a value that nobody takes": "void log(1); if (x) void log(2);",
  "loops": "for (let i = 0; i < 3; i++) { if (i === 1) { continue; } log(i); } for (;;) { log('once'); if (!x) { log('end'); } break; } do { log(0); } while (0);",
  "numbers and texts that are known": "return [1000, 1500, 30000, 0, 'a' + 'b' + x, x + 'a' + 'b', `${1000}`, (1000).toString(), 10000 ** 2, x || 2000];",
  "texts": "return ['\\u00e9…`\\n', `a${x}b`, /\\/[/]/g.source, 'a' + (1 + 2)];",
};

for (const [name, body] of Object.entries(cases)) {
  test(`${name}: the same calls and the same result`, () => {
    const run = (text, x) => {
      const calls = [];
      let result;
      try {
        result = new Function("log", "x", `"use strict"; ${text} return run(x);`)((value) => calls.push(value), x);
      } catch (error) {
        result = `throws ${error}`;
      }
      return { calls, result };
    };
    const long = `function run(x) { ${body} }`;
    const short = shorten(ts, long);
    for (const x of [undefined, null, 0, 1, 2, NaN, "", "text", true, false]) {
      const wanted = run(long, x);
      assert.doesNotMatch(String(wanted.result), /SyntaxError|ReferenceError/);
      assert.deepEqual(run(short, x), wanted, short);
    }
    assert.equal(shorten(ts, short), short);
  });
}

test("conditions, flags and functions are written short", () => {
  const short = shorten(ts, "function f(a) { if (a === 1) { g(); h(); } return true; }").replace(/\s/g, "");
  assert.equal(short, "letf=(a)=>(a===1&&(g(),h()),!0);");
});
