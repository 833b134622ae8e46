import { isDocument } from "./document.ts";
import { wrapperName } from "./type-order.ts";

const FIELD_OVERHEAD_BYTES = 8;
const SCALAR_BYTES = 12;

/** Roughly the size of a value in BSON, without encoding it. */
export function approximateBytes(value: unknown): number {
  if (typeof value === "string") return textBytes(value) + FIELD_OVERHEAD_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  if (Array.isArray(value))
    return value.reduce<number>((sum, element) => sum + FIELD_OVERHEAD_BYTES + approximateBytes(element), 8);
  if (!isDocument(value)) return SCALAR_BYTES + wrapperBytes(value);
  let bytes = FIELD_OVERHEAD_BYTES;
  for (const name of Object.keys(value)) bytes += textBytes(name) + 2 + approximateBytes(value[name]);
  return bytes;
}

/** Long texts are counted exactly, short ones by their characters. */
function textBytes(text: string): number {
  return text.length < 64 ? text.length : Buffer.byteLength(text);
}

function wrapperBytes(value: object): number {
  return wrapperName(value) === "Binary" && "position" in value ? Number(value.position) : 8;
}
