export interface TarEntry {
  readonly name: string;
  readonly content?: string;
  /** Type flag: 0 file, 1 hard link, 2 symbolic link, 3 device, 5 directory, 6 FIFO. */
  readonly type?: "0" | "1" | "2" | "3" | "5" | "6";
  readonly linkName?: string;
  /** The size that the header claims. */
  readonly claimedBytes?: number;
}

const BLOCK = 512;

/** A tar archive with whatever names and types a test wants; an honest packer would refuse some. */
export function tarOf(entries: readonly TarEntry[], { end = true } = {}): Buffer<ArrayBuffer> {
  const blocks = entries.flatMap((entry) => [headerOf(entry), padded(entry.content ?? "")]);
  return Buffer.concat([...blocks, Buffer.alloc(end ? 2 * BLOCK : 0)]);
}

function padded(content: string): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.byteLength % BLOCK)) % BLOCK)]);
}

function headerOf({ name, content = "", type = "0", linkName = "", claimedBytes }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(octal(claimedBytes ?? Buffer.byteLength(content)), 124);
  header.write(octal(0), 136);
  header.write("        ", 148);
  header.write(type, 156);
  header.write(linkName, 157, 100);
  header.write("ustar\u000000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function octal(value: number): string {
  return `${value.toString(8).padStart(11, "0")}\0`;
}
