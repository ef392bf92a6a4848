import { Check, Copy as CopyIcon, Link2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./Button";

type State = "idle" | "done" | "refused";

/** Writing to the clipboard, and for two seconds how that went: a browser refuses outside https and localhost. */
function useCopy(text: string | (() => string)): [State, () => void] {
  const [state, setState] = useState<State>("idle");
  useEffect(() => {
    if (state === "idle") return undefined;
    const timer = setTimeout(() => {
      setState("idle");
    }, 2000);
    return () => {
      clearTimeout(timer);
    };
  }, [state]);

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : text());
      setState("done");
    } catch {
      setState("refused");
    }
  };
  return [state, () => void copy()];
}

const REFUSED = "Select and copy by hand";

/** Copies `text`, and says whether it did: a browser refuses outside https and localhost. */
export function Copy({
  text,
  label = "Copy",
  small = true,
}: {
  text: string | (() => string);
  label?: string;
  small?: boolean;
}) {
  const [state, copy] = useCopy(text);
  return (
    <Button small={small} onClick={copy}>
      {state === "done" ? <Check size={14} aria-hidden="true" /> : <CopyIcon size={14} aria-hidden="true" />}
      <span aria-live="polite">{state === "done" ? "Copied" : state === "refused" ? REFUSED : label}</span>
    </Button>
  );
}

/** Copies the address of a part of this page. */
export function CopyLink({ to, what }: { to: string; what: string }) {
  const [state, copy] = useCopy(() => {
    const url = new URL(window.location.href);
    url.hash = to;
    return url.href;
  });
  return (
    <Button
      small
      kind="quiet"
      aria-label={`Copy a link to ${what}`}
      title="Copy a link to this"
      onClick={copy}
    >
      {state === "done" ? <Check size={14} aria-hidden="true" /> : <Link2 size={14} aria-hidden="true" />}
      <span aria-live="polite" className={state === "refused" ? undefined : "visually-hidden"}>
        {state === "done" ? "Copied" : state === "refused" ? REFUSED : ""}
      </span>
    </Button>
  );
}
