import "./app/trusted";
import "@mantine/core/styles.layer.css";
import "@mantine/dates/styles.layer.css";
import "@mantine/notifications/styles.layer.css";
import "mantine-datatable/styles.layer.css";
import "./app/style.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./app/query";
import { router } from "./app/router";
import { TextsProvider } from "./app/texts";
import { colours, schemes, theme } from "./app/theme";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
// For the style element by which dialogs keep the page behind them from scrolling.
setNonce(nonce);

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Suspense>
        <TextsProvider>
          <MantineProvider
            theme={theme}
            defaultColorScheme="auto"
            colorSchemeManager={schemes}
            cssVariablesResolver={colours}
            getStyleNonce={() => nonce}
          >
            <RouterProvider router={router} />
            <Notifications position="bottom-right" />
          </MantineProvider>
        </TextsProvider>
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);
