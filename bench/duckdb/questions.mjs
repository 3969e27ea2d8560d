// The questions: the request to the service, the compared part of its response, and the SQL forms,
// fastest first. Every form must return the same result as the service.

// questions returns all questions for the days from start to end. In SQL, %T stands for the table.
export function questions(start, end) {
  const day = 86400;
  const week = 7 * day;
  const range = `time BETWEEN ${start} AND ${end}`;
  const span = { start_time: start, end_time: end };
  const query = `?start_time=${start}&end_time=${end}`;
  return [
    funnel(span, range, end, week),
    retention(span, range, Math.floor((start + 3 * day) / week) * week - 3 * day, week),
    paths(span, range),
    {
      name: 'unique users',
      path: 'stats/overview' + query,
      answer: (a) => [[a.unique_users]],
      forms: uniqueForms(range),
    },
    {
      name: 'breakdown',
      path: `stats/breakdown${query}&dimension=property&property_key=format`,
      answer: (a) => a.data.map((d) => [d.key, d.count]),
      forms: breakdownForms(range),
    },
    {
      name: 'overview',
      path: 'stats/overview' + query,
      answer: (a) => [[a.total, a.unique_users, a.unique_sessions, a.event_types]],
      forms: overviewForms(range),
    },
  ];
}

function funnel(span, range, end, window) {
  const entered = `entered AS (SELECT distinct_id, min(time) AS t1 FROM %T WHERE name = 'open' AND ${range} GROUP BY ALL)`;
  return {
    name: 'funnel',
    path: 'analysis/funnel',
    body: { ...span, window_seconds: window, steps: ['open', 'view', 'buy'].map((event_name) => ({ event_name })) },
    answer: (a) => [a.data.map((d) => d.users)],
    forms: {
      // The last step does not need the earliest event, only one that is late enough, so the second
      // and third step need one pass.
      'two passes': `WITH ${entered},
        reached AS (SELECT e.distinct_id, min(e.time) FILTER (name = 'view') AS t2, max(e.time) FILTER (name = 'buy') AS t3
          FROM %T e JOIN entered a ON e.distinct_id = a.distinct_id
          WHERE name IN ('view', 'buy') AND ${range} AND time >= t1 AND time <= t1 + ${window} GROUP BY ALL)
        SELECT (SELECT count(*) FROM entered), count(t2), count(*) FILTER (t3 >= t2) FROM reached`,
      'a join a step': `WITH ${entered},
        second AS (SELECT e.distinct_id, any_value(t1) AS t1, min(time) AS t2 FROM %T e JOIN entered a ON e.distinct_id = a.distinct_id
          WHERE name = 'view' AND ${range} AND time >= t1 AND time <= t1 + ${window} GROUP BY ALL),
        third AS (SELECT DISTINCT e.distinct_id FROM %T e JOIN second a ON e.distinct_id = a.distinct_id
          WHERE name = 'buy' AND ${range} AND time >= t2 AND time <= t1 + ${window})
        SELECT (SELECT count(*) FROM entered), (SELECT count(*) FROM second), (SELECT count(*) FROM third)`,
      'lists of times': `WITH times AS (SELECT distinct_id, min(time) FILTER (name = 'open') AS t1,
          list(time) FILTER (name = 'view') AS views, list(time) FILTER (name = 'buy') AS buys
          FROM %T WHERE name IN ('open', 'view', 'buy') AND ${range} GROUP BY ALL),
        second AS (SELECT t1, buys, list_min(list_filter(views, lambda t: t >= t1 AND t <= t1 + ${window})) AS t2 FROM times WHERE t1 IS NOT NULL)
        SELECT count(*), count(t2), count(*) FILTER (list_max(list_filter(buys, lambda t: t <= t1 + ${window})) >= t2) FROM second`,
      // One list of numbers; the lowest bit identifies the step.
      'one list of times': `WITH times AS (SELECT distinct_id, min(time) FILTER (name = 'open') AS t1,
          list(time::BIGINT * 2 + (name = 'buy')::BIGINT) FILTER (name <> 'open') AS later
          FROM %T WHERE name IN ('open', 'view', 'buy') AND ${range} GROUP BY ALL),
        inside AS (SELECT t1, list_filter(later, lambda t: t >= t1::BIGINT * 2 AND t < (t1::BIGINT + ${window} + 1) * 2) AS later FROM times WHERE t1 IS NOT NULL),
        second AS (SELECT later, list_min(list_filter(later, lambda t: t % 2 = 0)) AS t2 FROM inside)
        SELECT count(*), count(t2), count(*) FILTER (list_max(list_filter(later, lambda t: t % 2 = 1)) > t2) FROM second`,
      'window functions': `WITH first AS (SELECT distinct_id, name, time, min(time) FILTER (name = 'open') OVER (PARTITION BY distinct_id) AS t1
          FROM %T WHERE name IN ('open', 'view', 'buy') AND ${range}),
        reached AS (SELECT distinct_id, min(time) FILTER (name = 'view') AS t2, max(time) FILTER (name = 'buy') AS t3
          FROM first WHERE time >= t1 AND time <= t1 + ${window} GROUP BY ALL)
        SELECT count(*), count(t2), count(*) FILTER (t3 >= t2) FROM reached`,
      'window in order of time': `WITH a AS (SELECT distinct_id, name, time, min(CASE WHEN name = 'open' THEN time END) OVER (PARTITION BY distinct_id) AS t1
          FROM %T WHERE name IN ('open', 'view', 'buy') AND ${range}),
        b AS (SELECT distinct_id, name, time, min(CASE WHEN name = 'view' THEN time END) OVER (PARTITION BY distinct_id) AS t2
          FROM a WHERE time >= t1 AND time <= t1 + ${window})
        SELECT count(DISTINCT distinct_id), count(DISTINCT distinct_id) FILTER (t2 IS NOT NULL),
          count(DISTINCT distinct_id) FILTER (name = 'buy' AND time >= t2) FROM b`,
      'joins from the nearest event': `WITH ${entered},
        views AS (SELECT distinct_id, time FROM %T WHERE name = 'view' AND ${range}),
        buys AS (SELECT distinct_id, time FROM %T WHERE name = 'buy' AND ${range}),
        second AS (SELECT a.distinct_id, t1, v.time AS t2 FROM entered a ASOF JOIN views v ON a.distinct_id = v.distinct_id AND a.t1 <= v.time WHERE v.time <= t1 + ${window}),
        third AS (SELECT s.distinct_id FROM second s ASOF JOIN buys b ON s.distinct_id = b.distinct_id AND s.t2 <= b.time WHERE b.time <= t1 + ${window})
        SELECT (SELECT count(*) FROM entered), (SELECT count(*) FROM second), (SELECT count(*) FROM third)`,
    },
  };
}

function retention(span, range, monday, week) {
  const periods = [0, 1, 2, 3, 4];
  const number = (time) => `((${time} - ${monday}) // ${week})`;
  const after = (seen) => periods.map((p) => `count(*) FILTER (${seen(p)})`).join(', ');
  return {
    name: 'retention',
    path: 'analysis/retention',
    body: { ...span, start_event: 'open', period: 'week', periods: periods.length },
    answer: (a) => a.cohorts.filter((c) => c.size > 0).map((c) => [c.cohort, c.size, ...c.cells.map((cell) => cell?.users ?? 0)]),
    forms: {
      'a bit a week': `WITH users AS (SELECT ${number("min(time) FILTER (name = 'open')")} AS first, bit_or(1::UINTEGER << ${number('time')}) AS seen
          FROM %T WHERE ${range} GROUP BY distinct_id)
        SELECT ${monday} + first * ${week}, count(*), ${after((p) => `seen >> (first + ${p}) & 1 = 1`)}
        FROM users WHERE first IS NOT NULL GROUP BY first ORDER BY first`,
      'a bit a week, by comparison': `WITH users AS (SELECT ${number("min(time) FILTER (name = 'open')")} AS first, bit_or(CASE
            ${periods.map((p) => `WHEN time < ${monday + (p + 1) * week} THEN ${1 << p}::UTINYINT`).join(' ')} END) AS seen
          FROM %T WHERE ${range} GROUP BY distinct_id)
        SELECT ${monday} + first * ${week}, count(*), ${after((p) => `seen >> (first + ${p}) & 1 = 1`)}
        FROM users WHERE first IS NOT NULL GROUP BY first ORDER BY first`,
      'a flag a week': `WITH users AS (SELECT ${number("min(time) FILTER (name = 'open')")} AS first,
          [${periods.map((p) => `bool_or(time >= ${monday + p * week} AND time < ${monday + (p + 1) * week})`).join(', ')}] AS seen
          FROM %T WHERE ${range} GROUP BY distinct_id)
        SELECT ${monday} + first * ${week}, count(*), ${after((p) => `seen[first + ${p} + 1]`)}
        FROM users WHERE first IS NOT NULL GROUP BY first ORDER BY first`,
      'users and weeks, joined': `WITH cohort AS (SELECT distinct_id, ${number('min(time)')} AS first FROM %T WHERE name = 'open' AND ${range} GROUP BY ALL),
        active AS (SELECT DISTINCT distinct_id, ${number('time')} AS week FROM %T WHERE ${range})
        SELECT ${monday} + first * ${week}, count(DISTINCT c.distinct_id), ${after((p) => `week = first + ${p}`)}
        FROM cohort c LEFT JOIN active a ON c.distinct_id = a.distinct_id GROUP BY first ORDER BY first`,
      'users and weeks, by window': `WITH active AS (SELECT distinct_id, ${number('time')} AS week, min(${number('time')}) FILTER (name = 'open') AS opened
          FROM %T WHERE ${range} GROUP BY ALL),
        members AS (SELECT week, opened, min(opened) OVER (PARTITION BY distinct_id) AS first FROM active)
        SELECT ${monday} + first * ${week}, count(*) FILTER (week = first), ${after((p) => `week = first + ${p}`)}
        FROM members WHERE first IS NOT NULL GROUP BY first ORDER BY first`,
    },
  };
}

function paths(span, range) {
  const depth = 4;
  const limit = 5;
  const steps = Array.from({ length: depth - 1 }, (_, i) => i + 1);
  // From a list of the first names of each sequence to the answer.
  const edges = steps.map((s) => `SELECT ${s} AS step, nodes[${s}] AS a, nodes[${s + 1}] AS b, count(*) AS n
      FROM sequences WHERE len(nodes) > ${s} GROUP BY ALL`).join(' UNION ALL ');
  const answer = `edges AS (${edges}), ${ranked(limit)}`;
  const order = '(time::BIGINT << 32 | rowid)'; // wider numbers cost twice the time
  const names = `names AS MATERIALIZED (SELECT name, (row_number() OVER ())::BIGINT AS code FROM (SELECT DISTINCT name FROM %T) LIMIT 65536)`;
  const packed = `min(((time - ${span.start_time})::BIGINT << 40) | (rowid << 16) | code, ${depth})`;
  const decoded = `edges AS (SELECT step, f.name AS a, t.name AS b, n FROM coded JOIN names f ON f.code = coded.a JOIN names t ON t.code = coded.b), ${ranked(limit)}`;
  const numbered = `numbered AS (SELECT distinct_id, session_id, name, row_number() OVER (PARTITION BY distinct_id, session_id ORDER BY time, rowid) AS node
    FROM %T WHERE ${range} QUALIFY node <= ${depth})`;
  return {
    name: 'paths',
    path: 'analysis/paths',
    body: { ...span, depth, branch_limit: limit },
    answer: (a) => a.data.map((d) => [d.step, d.from_event, d.to_event, d.count]),
    forms: {
      'first 4 by order': `WITH sequences AS (SELECT arg_min(name, ${order}, ${depth}) AS nodes FROM %T WHERE ${range} GROUP BY distinct_id, session_id), ${answer}`,
      // The sort key contains the number of the name in its lower bits, which limits the table to
      // 2^24 rows and 2^16 names. LIMIT tells the optimizer how short that table is.
      'first 4 of packed numbers': `WITH ${names},
        packed AS (SELECT ${packed} AS nodes FROM %T JOIN names USING (name) WHERE ${range} GROUP BY distinct_id, session_id),
        sequences AS (SELECT list_transform(nodes, lambda x: x & 65535) AS nodes FROM packed), coded AS (${edges}), ${decoded}`,
      'first 4 by order, numbered names': `WITH ${names},
        sequences AS (SELECT arg_min(code, ${order}, ${depth}) AS nodes FROM %T JOIN names USING (name) WHERE ${range} GROUP BY distinct_id, session_id),
        coded AS (${edges}), ${decoded}`,
      'ordered lists': `WITH sequences AS (SELECT list(name ORDER BY time, rowid)[1:${depth}] AS nodes FROM %T WHERE ${range} GROUP BY distinct_id, session_id), ${answer}`,
      'sorted lists': `WITH sequences AS (SELECT list_transform(list_sort(list({o: ${order}, name: name}))[1:${depth}], lambda x: x.name) AS nodes
          FROM %T WHERE ${range} GROUP BY distinct_id, session_id), ${answer}`,
      'numbered rows, grouped': `WITH ${numbered},
        sequences AS (SELECT list(name ORDER BY node) AS nodes FROM numbered GROUP BY distinct_id, session_id), ${answer}`,
      'numbered rows, joined': `WITH ${numbered},
        edges AS (SELECT x.node AS step, x.name AS a, y.name AS b, count(*) AS n FROM numbered x
          JOIN numbered y ON x.distinct_id = y.distinct_id AND x.session_id = y.session_id AND y.node = x.node + 1 GROUP BY ALL), ${ranked(limit)}`,
      'lead over windows': `WITH following AS (SELECT name AS a, row_number() OVER w AS step, lead(name) OVER w AS b
          FROM %T WHERE ${range} WINDOW w AS (PARTITION BY distinct_id, session_id ORDER BY time, rowid)),
        edges AS (SELECT step, a, b, count(*) AS n FROM following WHERE step < ${depth} AND b IS NOT NULL GROUP BY ALL), ${ranked(limit)}`,
    },
  };
}

// ranked is the end of a question for paths: for each step the most frequent edges, and the rest
// combined.
function ranked(limit) {
  return `ranked AS (SELECT step, a::VARCHAR AS a, b::VARCHAR AS b, n, row_number() OVER (PARTITION BY step ORDER BY n DESC, a::VARCHAR, b::VARCHAR) AS rank FROM edges)
    SELECT step, CASE WHEN rank <= ${limit} THEN a ELSE '(other)' END AS x, CASE WHEN rank <= ${limit} THEN b ELSE '(other)' END AS y, sum(n)::BIGINT
    FROM ranked GROUP BY ALL ORDER BY step, min(rank)`;
}

function uniqueForms(range) {
  return {
    'count of select distinct': `SELECT count(*) FROM (SELECT DISTINCT distinct_id FROM %T WHERE ${range})`,
    'count of a group': `SELECT count(*) FROM (SELECT distinct_id FROM %T WHERE ${range} GROUP BY distinct_id)`,
    'count of distinct': `SELECT count(DISTINCT distinct_id) FROM %T WHERE ${range}`,
    'grouped by day first': `SELECT count(DISTINCT distinct_id) FROM (SELECT distinct_id FROM %T WHERE ${range} GROUP BY time // 86400, distinct_id)`,
  };
}

function breakdownForms(range) {
  return {
    'group': `SELECT format, count(*) AS n FROM %T WHERE ${range} GROUP BY format ORDER BY n DESC, format LIMIT 20`,
    'histogram': `SELECT entry.key, entry.value::BIGINT AS n FROM (SELECT unnest(map_entries(histogram(format))) AS entry FROM %T WHERE ${range})
      ORDER BY n DESC, entry.key LIMIT 20`,
    'sum of ones': `SELECT format, sum(1)::BIGINT AS n FROM %T WHERE ${range} GROUP BY ALL ORDER BY n DESC, format LIMIT 20`,
  };
}

function overviewForms(range) {
  return {
    'one pass': `SELECT count(*), count(DISTINCT distinct_id), count(DISTINCT session_id), count(DISTINCT name) FROM %T WHERE ${range}`,
    'one query each': `SELECT (SELECT count(*) FROM %T WHERE ${range}), (SELECT count(*) FROM (SELECT DISTINCT distinct_id FROM %T WHERE ${range})),
      (SELECT count(*) FROM (SELECT DISTINCT session_id FROM %T WHERE ${range})), (SELECT count(*) FROM (SELECT DISTINCT name FROM %T WHERE ${range}))`,
    'sessions first': `WITH s AS (SELECT session_id, distinct_id, count(*) AS n FROM %T WHERE ${range} GROUP BY ALL)
      SELECT sum(n)::BIGINT, count(DISTINCT distinct_id), count(DISTINCT session_id), (SELECT count(*) FROM (SELECT DISTINCT name FROM %T WHERE ${range})) FROM s`,
  };
}
