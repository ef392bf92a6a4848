import { Link, type ErrorComponentProps } from "@tanstack/react-router";
import { describe } from "@/api/client";
import { buttonClass } from "@/ui/Button";
import { Failed, NotFound } from "@/ui/states";

/** A page that broke: the rest of the frame stands. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  return <Failed what="This page could not be shown" detail={describe(error)} retry={reset} />;
}

export function PageNotFound() {
  return (
    <>
      <NotFound detail="There is no page at this address." />
      <Link to="/servers" className={buttonClass()}>
        All servers
      </Link>
    </>
  );
}
