// The tables that DuckDB answers from, each in a file of its own.

import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

// Each table has the same rows in the order of receipt, so that the pseudo-column rowid orders the
// events of one second without taking space.
//
// The columns after the properties are those that the service stores about the sender of an event.
// They are the same for all events here.
const sender = `'WINDOWS' AS platform, '11' AS platform_version, 'LOCAL' AS region, '127.0.0.0' AS address,
  'svc-bench/1 (Windows NT 10.0)' AS agent, 1767225600::UINTEGER AS received_at`;

const properties = 'plan, format, screen, amount, item';

export const tables = [
  {
    name: 'events', // identifiers are texts, as the service accepts them
    sql: (csv) => `SELECT time, name, event_id, distinct_id, session_id, ${properties}, ${sender}
      FROM read_csv('${csv}', header = true, auto_detect = false, delim = ',', quote = '', escape = '', columns = {
        time: 'UINTEGER', name: 'VARCHAR', event_id: 'VARCHAR', distinct_id: 'VARCHAR', session_id: 'VARCHAR',
        plan: 'VARCHAR', format: 'VARCHAR', screen: 'VARCHAR', amount: 'INTEGER', item: 'VARCHAR'})`,
  },
  {
    name: 'uuids', // for applications whose identifiers are always UUIDs
    forms: true,
    sql: () => `SELECT * REPLACE (event_id::UUID AS event_id, distinct_id::UUID AS distinct_id, session_id::UUID AS session_id)
      FROM events.events ORDER BY rowid`,
  },
  {
    name: 'coded', // identifiers replaced by numbers in advance, with a table that maps them back
    forms: true,
    before: `CREATE TABLE coded.subjects AS SELECT (row_number() OVER ())::UINTEGER AS id, distinct_id FROM (SELECT DISTINCT distinct_id FROM events.events);
      CREATE TABLE coded.sessions AS SELECT (row_number() OVER ())::UINTEGER AS id, session_id FROM (SELECT DISTINCT session_id FROM events.events);
      CREATE TYPE coded.event_name AS ENUM (SELECT DISTINCT name FROM events.events ORDER BY name);`,
    sql: () => `SELECT e.* EXCLUDE (distinct_id, session_id) REPLACE (name::coded.event_name AS name, event_id::UUID AS event_id),
        s.id AS distinct_id, t.id AS session_id
      FROM events.events e JOIN coded.subjects s USING (distinct_id) JOIN coded.sessions t USING (session_id) ORDER BY e.rowid`,
  },
];

// attach opens or creates the file of a table. It returns the size of the file in bytes.
export async function attach(connection, table, folder, csv) {
  const file = join(folder, table.name + '.duckdb');
  if (!existsSync(file)) {
    const unfinished = file + '.tmp';
    rmSync(unfinished, { force: true });
    console.error('loading', file);
    await connection.run(`ATTACH '${unfinished}' AS ${table.name} (STORAGE_VERSION 'latest')`);
    if (table.before) await connection.run(table.before);
    await connection.run(`CREATE TABLE ${table.name}.events AS ${table.sql(csv)}`);
    await connection.run(`CHECKPOINT ${table.name}`);
    await connection.run(`DETACH ${table.name}`);
    renameSync(unfinished, file);
  }
  await connection.run(`ATTACH '${file}' AS ${table.name} (READ_ONLY)`);
  return statSync(file).size;
}
