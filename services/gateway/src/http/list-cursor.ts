import { z } from "zod";

/** A place in a list that is ordered by date and id. */
export interface ListPlace {
  readonly _id: string;
  readonly created_at: Date;
}

const Place = z.tuple([z.int().min(0).max(8.64e15), z.string().min(1).max(128)]);

/** The place as clients hand it back: text without a meaning of its own. */
export function cursorOf({ _id, created_at }: ListPlace): string {
  return Buffer.from(JSON.stringify([created_at.getTime(), _id])).toString("base64url");
}

/** A query parameter that holds a place. */
export const ListCursor = z
  .string()
  .min(1)
  .max(512)
  .transform((text, context): ListPlace => {
    const place = Place.safeParse(parsed(text)).data;
    if (place !== undefined) return { created_at: new Date(place[0]), _id: place[1] };
    context.addIssue("is not a cursor; take the header X-Pagination-Next of the page before");
    return z.NEVER;
  });

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
