import type { ErrorCode } from "@antler/contracts";

import type { GrepMatch } from "./sandbox.ts";
import type { VirtualPlaces } from "./virtual-roots.ts";

interface SearchPlace extends VirtualPlaces {
  readonly path: string;
  readonly pattern: string;
  readonly limit: number;
}

export interface GlobJob extends SearchPlace {
  readonly kind: "glob";
  readonly includeDirectories: boolean;
}

export interface GrepJob extends SearchPlace {
  readonly kind: "grep";
  readonly glob: string | undefined;
  readonly ignoreCase: boolean;
  readonly literal: boolean;
}

/** What the searching thread is started with. */
export type SearchJob = GlobJob | GrepJob;

/** What it answers: finds as they come, then one end or one fault. */
export type SearchAnswer =
  | { readonly kind: "paths"; readonly paths: readonly string[] }
  | { readonly kind: "matches"; readonly matches: readonly GrepMatch[] }
  | { readonly kind: "end"; readonly truncated: boolean }
  | {
      readonly kind: "fault";
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };
