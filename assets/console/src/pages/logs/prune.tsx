// Opening the dialog that deletes logs. Its code is loaded after the list.

import { switchParam, useParams } from "../../core/address";
import { part, usePart } from "../../core/part";

const dialog = part(async () => (await import("./prunedialog")).PruneDialog);

const params = { prune: switchParam };

/** Opens the dialog. */
export function usePrune(): () => void {
  const [, change] = useParams(params);
  return () => change({ prune: true });
}

export function Prune({ project }: { project: string }) {
  const [{ prune }, change] = useParams(params);
  const open = prune && project !== "";
  const Dialog = usePart(dialog, open);
  return open && Dialog ? <Dialog key={project} project={project} onClose={() => change({ prune: false })} /> : null;
}
