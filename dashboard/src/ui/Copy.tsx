import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./Button";

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
  const [state, setState] = useState<"idle" | "done" | "refused">("idle");
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
  return (
    <Button small={small} onClick={() => void copy()}>
      {state === "done" ? <Check size={14} aria-hidden="true" /> : <CopyIcon size={14} aria-hidden="true" />}
      <span aria-live="polite">
        {state === "done" ? "Copied" : state === "refused" ? "Select and copy by hand" : label}
      </span>
    </Button>
  );
}
