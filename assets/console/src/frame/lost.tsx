// One banner while the server cannot be reached; it goes by itself. It stands over the page,
// so that what a person reads or is about to press does not move.

import { Alert } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useLost } from "../core/server";
import { useTexts } from "../core/texts";
import classes from "./frame.module.css";

export function LostBanner() {
  const { frame } = useTexts();
  const lost = useLost();
  return (
    <div role="status">
      {lost && (
        <div className={classes["lost"]}>
          <Alert color="yellow" py="xs" icon={<IconPlugConnectedX aria-hidden />}>
            {frame.lost}
          </Alert>
        </div>
      )}
    </div>
  );
}
