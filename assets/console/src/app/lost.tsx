// One banner while the server cannot be reached; it goes by itself.

import { Alert } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useLost } from "./server";
import { useTexts } from "./texts";

export function LostBanner() {
  const { frame } = useTexts();
  const lost = useLost();
  return (
    <div role="status">
      {lost && (
        <Alert color="yellow" mb="md" py="xs" icon={<IconPlugConnectedX aria-hidden />}>
          {frame.lost}
        </Alert>
      )}
    </div>
  );
}
