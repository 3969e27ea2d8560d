// The cache of server data: how long data is kept, and when it is requested again.

import { QueryClient } from "@tanstack/react-query";
import { SvcConnectionError } from "svc-sdk";
import { isLost, watchServer } from "./server";
import { session, watchSession } from "./session";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 10 * 60_000,
      // The library has already retried reads. While the server is unreachable, keep retrying until
      // it is back.
      retry: (count, error) => error instanceof SvcConnectionError && (isLost() || count < 2),
      retryDelay: (count) => Math.min(1000 * 2 ** count, 10_000),
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

// Delete all data when the login ends. After another login, everything is requested again.
let token = session()?.token;
watchSession(() => {
  const next = session()?.token;
  if (next === token) {
    return;
  }
  token = next;
  if (next === undefined) {
    void queries.cancelQueries();
    queries.clear();
  } else {
    void queries.invalidateQueries();
  }
});

// A server that is reachable again may have new data.
watchServer(() => {
  if (!isLost()) {
    void queries.invalidateQueries();
  }
});
