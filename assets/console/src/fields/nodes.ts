// Structured data as the visible lines of a tree.

/** One visible line. */
export interface TreeNode {
  /** The path of the node, which no other node of the tree has. */
  path: string;
  /** Depth, from 1. */
  level: number;
  /** The name in an object or the index in a list; null for the root. */
  key: string | null;
  /**
   * "text" for a text; "other" for a number, true, false or null; "group" for an object or a list;
   * "rest" for the hidden members of a long group.
   */
  kind: "text" | "other" | "group" | "rest";
  /** The value. For a group, this is its size, and for a rest, the number of hidden members. */
  value: string | number;
  /** Whether a group is a list. */
  list: boolean;
  expanded: boolean;
  /** The position among the siblings, and the number of siblings, for screen readers. */
  position: number;
  siblings: number;
}

/** Number of members that an open group shows at first. The others follow when the user asks for more. */
export const batch = 100;

const isGroup = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * Returns the visible lines of a value. `open` maps the path of each open group to the number of
 * members that it shows. The root has the path "" and is always open.
 */
export function visible(value: unknown, open: ReadonlyMap<string, number>): TreeNode[] {
  const nodes: TreeNode[] = [];
  const add = (path: string, key: string | null, at: unknown, level: number, position: number, siblings: number) => {
    const members = isGroup(at) ? Object.entries(at) : [];
    const expanded = open.has(path) && members.length > 0;
    nodes.push({
      path,
      level,
      key,
      kind: isGroup(at) ? "group" : typeof at === "string" ? "text" : "other",
      value: isGroup(at) ? members.length : String(at),
      list: Array.isArray(at),
      expanded,
      position,
      siblings,
    });
    if (expanded) {
      addAll(path, members, level + 1);
    }
  };
  const addAll = (path: string, members: [string, unknown][], level: number) => {
    const shown = members.slice(0, open.get(path) ?? batch);
    const left = members.length - shown.length;
    const siblings = shown.length + (left ? 1 : 0);
    for (const [i, [key, member]] of shown.entries()) {
      add(`${path}/${i}`, key, member, level, i + 1, siblings);
    }
    if (left) {
      nodes.push({
        path: `${path}/rest`,
        level,
        key: null,
        kind: "rest",
        value: left,
        list: false,
        expanded: false,
        position: siblings,
        siblings,
      });
    }
  };
  if (isGroup(value)) {
    addAll("", Object.entries(value), 1);
  } else {
    add("", null, value, 1, 1, 1);
  }
  return nodes;
}

/**
 * Returns the groups that are initially open. These are the groups of the first level that have at
 * most ten members.
 */
export function initiallyOpen(value: unknown): Map<string, number> {
  const open = new Map<string, number>();
  if (isGroup(value)) {
    Object.values(value)
      .slice(0, batch)
      .forEach((member: unknown, i) => {
        if (isGroup(member) && Object.keys(member).length <= 10) {
          open.set(`/${i}`, batch);
        }
      });
  }
  return open;
}
