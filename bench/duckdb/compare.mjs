// Asks DuckDB and the service the same questions alternately and prints the times as JSON. Its only
// argument is the object described by main.go.

import { deepStrictEqual } from 'node:assert';
import { DuckDBInstance } from '@duckdb/node-api';
import { questions } from './questions.mjs';
import { attach, tables } from './tables.mjs';

const plan = JSON.parse(process.argv[2]);
const threads = 2;

const connection = await (await DuckDBInstance.create(':memory:', { threads: String(threads) })).connect();
const sizes = {};
for (const table of tables.filter((t) => plan.forms || !t.forms)) {
  sizes[table.name] = await attach(connection, table, plan.folder, plan.csv);
}

let different = 0;
const report = { duckdb: (await rows('SELECT version()'))[0][0], threads, questions: [], forms: [] };
for (const q of questions(plan.start, plan.end)) {
  const forms = plan.forms ? Object.keys(q.forms) : Object.keys(q.forms).slice(0, 1);
  const [ours, ...theirs] = await inTurn([() => ask(q), ...forms.map((form) => () => duck(q.forms[form], 'events'))]);
  const expected = q.answer(ours.answer);
  const equal = theirs.filter((r, i) => same(expected, r.answer, `${q.name}, ${forms[i]}`)).length === forms.length;
  const best = theirs.reduce((a, b) => (b.median < a.median ? b : a));
  report.questions.push({ name: q.name, svc: ours.median, duckdb: best.median, equal });
  if (!plan.forms) continue;
  const tried = theirs.map((r, i) => ({ question: q.name, form: forms[i], tables: { events: r.median } }));
  await otherTypes(q, expected, tried[theirs.indexOf(best)]);
  report.forms.push(...tried);
}
report.bytes = Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, size / plan.events]));
report.different = different;
console.log(JSON.stringify(report));

// otherTypes measures the best form with other types of identifiers and adds the times to it.
async function otherTypes(q, expected, best) {
  const others = tables.filter((t) => t.forms).map((t) => t.name);
  const results = await inTurn(others.map((table) => () => duck(q.forms[best.form], table)));
  results.forEach((r, i) => {
    same(expected, r.answer, `${q.name}, ${best.form}, over ${others[i]}`);
    best.tables[others[i]] = r.median;
  });
}

// inTurn runs all functions one after the other, once to warm up and then once per round. It
// returns the last answer and the median time of each.
async function inTurn(functions) {
  const results = functions.map(() => ({ times: [] }));
  for (let round = 0; round <= plan.rounds; round++) {
    for (const [i, f] of functions.entries()) {
      const begun = performance.now();
      results[i].answer = await f();
      if (round > 0) results[i].times.push(performance.now() - begun);
    }
  }
  return results.map(({ answer, times }) => ({ answer, median: times.sort((a, b) => a - b)[times.length >> 1] }));
}

async function ask(q) {
  const response = await fetch(plan.base + q.path, {
    method: q.body ? 'POST' : 'GET',
    headers: { 'X-Api-Key': plan.key, ...(q.body && { 'Content-Type': 'application/json' }) },
    body: q.body && JSON.stringify(q.body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${q.name}: ${response.status} ${text}`);
  return JSON.parse(text);
}

function duck(sql, table) {
  return rows(sql.replaceAll('%T', `${table}.events`));
}

// rows returns the result of a query with numbers of any width as JavaScript numbers.
async function rows(sql) {
  const reader = await connection.runAndReadAll(sql);
  return reader.getRows().map((row) => row.map((v) => (typeof v === 'bigint' ? Number(v) : v)));
}

// same reports whether an answer is the expected one, and prints the difference if not.
function same(expected, got, name) {
  try {
    deepStrictEqual(got, expected);
    return true;
  } catch (error) {
    different++;
    console.error(`${name}: ${error.message}`);
    return false;
  }
}
