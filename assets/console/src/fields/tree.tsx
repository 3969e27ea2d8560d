import { IconChevronRight } from "@tabler/icons-react";
import { type CSSProperties, type KeyboardEvent, useMemo, useRef, useState } from "react";
import { useTexts } from "../core/texts";
import classes from "./fields.module.css";
import { batch, initiallyOpen, type TreeNode, visible } from "./nodes";

/** Shows structured data as a tree of groups that open and close. Values are always shown as plain text. */
export function DataTree({ value, label }: { value: unknown; label: string }) {
  const { fields } = useTexts();
  const [open, setOpen] = useState(() => initiallyOpen(value));
  const [current, setCurrent] = useState("");
  const root = useRef<HTMLDivElement>(null);
  const nodes = useMemo(() => visible(value, open), [value, open]);
  const at = Math.max(
    nodes.findIndex(({ path }) => path === current),
    0,
  );

  const toggle = (node: TreeNode, expanded = !node.expanded) =>
    setOpen((before) => {
      const after = new Map(before);
      if (node.kind === "rest") {
        const parent = node.path.slice(0, -"/rest".length);
        after.set(parent, (before.get(parent) ?? batch) + batch);
      } else if (expanded) {
        after.set(node.path, batch);
      } else {
        after.delete(node.path);
      }
      return after;
    });

  const focus = (index: number) => {
    const node = nodes[index];
    if (node) {
      setCurrent(node.path);
      root.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus();
    }
  };

  const parentOf = (index: number) => nodes.findIndex(({ path }) => path === nodes[index]!.path.replace(/\/[^/]+$/, ""));

  const press = (event: KeyboardEvent) => {
    const node = nodes[at];
    if (!node || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at - 1),
      Home: () => focus(0),
      End: () => focus(nodes.length - 1),
      ArrowRight: () => (canOpen(node) && !node.expanded ? toggle(node) : node.expanded && focus(at + 1)),
      ArrowLeft: () => (node.expanded ? toggle(node) : focus(parentOf(at))),
      Enter: () => canOpen(node) && toggle(node),
      " ": () => canOpen(node) && toggle(node),
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      // Otherwise a drawer around the tree would react, because it uses the same keys to show the
      // next record.
      event.stopPropagation();
      move();
    }
  };

  if (nodes.length === 0) {
    return <code className={classes.tree}>{Array.isArray(value) ? "[]" : "{}"}</code>;
  }
  return (
    <div ref={root} role="tree" aria-label={label} className={classes.tree} onKeyDown={press}>
      {nodes.map((node, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles keys
        <div
          key={node.path}
          role="treeitem"
          aria-level={node.level}
          aria-posinset={node.position}
          aria-setsize={node.siblings}
          aria-expanded={canOpen(node) ? node.expanded : undefined}
          aria-selected={i === at}
          tabIndex={i === at ? 0 : -1}
          data-index={i}
          className={classes.node}
          style={{ "--level": node.level } as CSSProperties}
          onClick={() => {
            setCurrent(node.path);
            if (canOpen(node)) {
              toggle(node);
            }
          }}
        >
          {canOpen(node) ? <IconChevronRight size={16} className={classes.mark} aria-hidden /> : <span className={classes.mark} />}
          {node.key !== null && (
            <span className={classes.key}>
              <bdi>{node.key}</bdi>:
            </span>
          )}
          <bdi className={classes.value} data-kind={node.kind}>
            {node.kind === "group"
              ? (node.list ? fields.tree.list : fields.tree.object)(node.value as number)
              : node.kind === "rest"
                ? fields.tree.rest(node.value as number)
                : node.value}
          </bdi>
        </div>
      ))}
    </div>
  );
}

const canOpen = (node: TreeNode) => node.kind === "rest" || (node.kind === "group" && node.value !== 0);
