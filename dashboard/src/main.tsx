import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { makeCache } from "./api/cache";
import { startTheme } from "./lib/theme";
import { makeRouter } from "./router";

startTheme();

const cache = makeCache(() => {
  const { pathname, searchStr } = router.state.location;
  if (pathname !== "/sign-in")
    void router.navigate({ to: "/sign-in", search: { next: pathname + searchStr } });
});
const router = makeRouter(cache);

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={cache}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
