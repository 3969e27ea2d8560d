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
// Dialogs add a style element that stops the page behind them from scrolling. The nonce permits
// this element.
setNonce(nonce);

/** The maximum time in milliseconds that rendering waits for the page. After that, the frame is rendered without it. */
const patience = 250;

// Wait for the page, so that frame and page are rendered together. If a placeholder is shown first,
// React delays the content by a third of a second, and with a fast server no placeholder is needed.
// There must be no await at the top level of this module: pages import from its file, so they would
// wait for each other.
Promise.race([
  // Ignore failures here; the component that needs the part reports them.
  Promise.allSettled([loadTexts(), router.load()]),
  new Promise((resolve) => {
    setTimeout(resolve, patience);
  }),
]).then(draw);

function draw() {
  const root = createRoot(document.getElementById("root")!, {
    // React has discarded a render that failed, and repeated it successfully. The cause is that the
    // router can look for the page that was just left
    // (https://github.com/TanStack/router/issues/8198). It has no visible effect.
    onRecoverableError: (error) => console.warn("drawn again:", String((error as Error).cause ?? error)),
  });
  // Render synchronously, so that later loads cannot interrupt it.
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
