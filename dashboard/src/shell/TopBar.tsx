import { Link } from "@tanstack/react-router";
import { Mark } from "./Brand";
import css from "./Shell.module.css";
import { UserMenu } from "./UserMenu";

export function TopBar() {
  return (
    <header className={css.bar} data-print="hide">
      <Link to="/servers" className={css.brand}>
        <Mark /> MCPulse
      </Link>
      <UserMenu />
    </header>
  );
}
