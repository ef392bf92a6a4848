import type { IngestKey } from "@/api/types";
import { Name } from "@/ui/Name";

/** A key by its name, or by its id where it is not known (any more). */
export function KeyName({ id, keys }: { id: string; keys: readonly IngestKey[] }) {
  const key = keys.find((one) => one.id === id);
  return key ? (
    <Name short>{key.name}</Name>
  ) : (
    <Name short mono>
      {id}
    </Name>
  );
}
