// The head of every page. It contains the title with a line about what is shown, the tools, the API
// help and the main action. It has the same height and order on all pages.

import { ActionIcon, Title, Tooltip } from "@mantine/core";
import { IconBraces } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useAddress } from "../core/address";
import { lazily } from "../core/part";
import { loadTexts, useTexts } from "../core/texts";
import classes from "./head.module.css";

const ApiHelp = lazily(async () => {
  const [{ default: help }] = await Promise.all([import("./help"), loadTexts("operations")]);
  return help;
});

interface Props {
  title: string;
  /** Shown beside the title, such as the range of the figures. */
  about?: ReactNode;
  /** Controls of the page, such as the range and "refresh". */
  tools?: ReactNode;
  /** The main action. It is always at the top right. */
  action?: ReactNode;
  /** IDs of the operations that the page uses, as in openapi.yaml. */
  operations: string[];
}

export function PageHead({ title, about, tools, action, operations }: Props) {
  return (
    <div className={classes["head"]}>
      <div className={classes["title"]}>
        <Title order={1} size="h2" tabIndex={-1}>
          {title}
        </Title>
        {about && <div className={classes["about"]}>{about}</div>}
      </div>
      <div className={classes["tools"]}>
        <div className={classes["others"]}>{tools}</div>
        <ApiHelpButton operations={operations} />
        {action}
      </div>
    </div>
  );
}

/** Opens the description of the API operations that a page uses. */
function ApiHelpButton({ operations }: { operations: string[] }) {
  const { common } = useTexts();
  const [address, change] = useAddress();
  const open = address["help"] === "1";
  return (
    <>
      <Tooltip label={common.apiHelp}>
        <ActionIcon variant="default" size={36} aria-label={common.apiHelp} onClick={() => change({ help: "1" })}>
          <IconBraces size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
      {open && <ApiHelp operations={operations} onClose={() => change({ help: undefined })} />}
    </>
  );
}
