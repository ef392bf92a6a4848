import { Outlet } from "@tanstack/react-router";
import css from "./Shell.module.css";
import { TopBar } from "./TopBar";

/** The frame of pages that belong to no server. */
export function Shell() {
  return (
    <div className={css.plain}>
      <a href="#main" className={css.skip}>
        Skip to the page
      </a>
      <TopBar />
      <main id="main" className={css.narrow} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}
