// The tables in tables.ts: a line has a path, and the words from which the names of its methods are
// built, with a noun before the verbs that share it; list adds an s. A path that begins
// with a dot continues the last path that does not. Suffixes of a verb:
//
//   =  PUT               ^  POST, if the verb usually has another method
//   ?  a query           !  a JSON body      +  an optional JSON body
//   #  bytes             *  pages, which adds an iter… method
//   l  the client's locale, v its app version, if the call specifies none
//   -  none of these, if the verb usually has some
//
// The types of these methods are generated into api.ts from these tables and
// openapi.yaml.

import { admin, client, open, usual } from "./tables.js";

/** Name, HTTP method, path and flags of an operation. */
export type Row = [name: string, method: string, path: string, flags: string];

function rows(table: string): Row[] {
  let base = "";
  return table.split("\n").flatMap((line) => {
    const [start, ...words] = line.split(" ") as [string, ...string[]];
    const path = start.replace(/^\./, base);
    base = path === start ? path : base;
    let noun = "";
    return words.flatMap((word): Row[] => {
      if (/^[A-Z]/.test(word)) {
        noun = word;
        return [];
      }
      const [, verb, other, flags] = /^(\w+)([=^]?)(.*)/.exec(word) as unknown as [string, string, string, string];
      const [, method, own] = usual.find(([verbs]) => verbs.test(verb))!;
      const name = verb + noun + (noun && verb === "list" ? "s" : "");
      return [[name, other === "=" ? "PUT" : other ? "POST" : method, path, flags === "-" ? "" : flags || own]];
    });
  });
}

export const clientTable = rows(client);

export const publicTable = rows(open);

export const adminTable = rows(admin);
