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
// For the style element with which dialogs stop the page behind them from scrolling.
setNonce(nonce);

/** Time in milliseconds that the frame waits for its page before it is rendered without it. */
const patience = 250;

// Frame and page are rendered together. After a placeholder, React delays content by a third of a
// second, and with a fast server no placeholder is needed. Pages import from the file of this
// module, so it must not await them at its top level: they would wait for each other.
Promise.race([
  // Failures are reported by the component that is affected.
  Promise.allSettled([loadTexts(), router.load()]),
  new Promise((resolve) => {
    setTimeout(resolve, patience);
  }),
]).then(draw);

function draw() {
  const root = createRoot(document.getElementById("root")!, {
    // An error in a render that was discarded and then repeated successfully: the router can look
    // for the page that was just left (https://github.com/TanStack/router/issues/8198). It has no
    // visible effect.
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
