import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// Waiting ends when what is waited for is there; the limit only ends a test that hangs.
configure({ asyncUtilTimeout: 30_000, getElementError: (message) => new Error(message ?? "not found") });

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  window.location.hash = "";
});
