// Structured data as the visible lines of a tree.

/** One visible line. */
export interface TreeNode {
  /** Where it is, unique in the tree. */
  path: string;
  /** Depth, from 1 on. */
  level: number;
  /** Name in the object or position in the list; null for the whole. */
  key: string | null;
  /** A text as it is, a number, true, false or null, a group of others, or the rest of a long group. */
  kind: "text" | "other" | "group" | "rest";
  /** The value, for a group how many it has, for a rest how many are not shown. */
  value: string | number;
  /** Whether a group is a list. */
  list: boolean;
  expanded: boolean;
  /** Position among its siblings and how many they are, for those who do not see them. */
  position: number;
  siblings: number;
}

/** How many members of a group are shown at once. */
export const batch = 100;

const isGroup = (value: unknown): value is object => typeof value === "object" && value !== null;

/**
 * The visible lines of a value. `open` has the paths of open groups with how many members each
 * shows; the path of the whole is "", and it is open.
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

/** The groups that are open at first: those of the first level with at most ten members. */
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
