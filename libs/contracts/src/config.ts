import type { z } from "zod";

import { crossSectionFaults } from "./config-faults.ts";
import { ConfigShape } from "./config-shape.ts";

/** The whole configuration: antler.yaml with the environment over it. */
export const Config = ConfigShape.superRefine((config, context) => {
  for (const { path, message } of crossSectionFaults(config)) context.addIssue({ code: "custom", path, message });
});
export type Config = z.output<typeof Config>;
