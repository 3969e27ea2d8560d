import "./core/trusted";
import "@mantine/core/styles/default-css-variables.layer.css";
import "@mantine/core/styles/baseline.layer.css";
import "@mantine/core/styles/global.layer.css";
import "./core/style.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode, Suspense } from "react";
import { flushSync } from "react-dom";
import { createRoot } from "react-dom/client";
import { Notices } from "./core/notice";
import { queries } from "./core/query";
import { loadTexts, TextsProvider } from "./core/texts";
import { colours, schemes, theme } from "./core/theme";
import { router } from "./frame/router";

const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
// For the style element by which dialogs keep the page behind them from scrolling.
setNonce(nonce);

/** How long the frame waits for the page in it, in milliseconds; a page that comes later has to wait its turn. */
const patience = 250;

// Frame and page are drawn in one go. React holds back what follows a placeholder for a third
// of a second, and a fast server never needs one. Pages import from the file of this module: it
// must not await them at its top level, where they would wait for each other.
Promise.race([
  // A failed load is reported where its result would be drawn.
  Promise.allSettled([loadTexts(), router.load()]),
  new Promise((resolve) => {
    setTimeout(resolve, patience);
  }),
]).then(draw);

function draw() {
  const root = createRoot(document.getElementById("root")!, {
    // An error in an abandoned render, not in the one that replaced it: the router can look for the page that was
    // just left (https://github.com/TanStack/router/issues/8198). It has no visible effect.
    onRecoverableError: (error) => console.warn("drawn again:", String((error as Error).cause ?? error)),
  });
  // Synchronously, so that nothing loaded in between can interrupt it.
  flushSync(() =>
    root.render(
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
                <Notices />
              </MantineProvider>
            </TextsProvider>
          </Suspense>
        </QueryClientProvider>
      </StrictMode>,
    ),
  );
}
