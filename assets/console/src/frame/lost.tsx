// The banner that is shown while the server is unreachable. It overlays the page, so that nothing
// moves while the user is reading or about to press a button.

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
