// Most of the size of zod are methods, which this variant does not have. The pages need few of its functions.
import * as z from 'zod/mini';

/*
 * The messages of each page are described once, in its messages.ts. The editor and the page validate what they receive with these schemas,
 * and send only the types that follow from them.
 */

/** A message, or a part of it. Its receiver does not change it. */
export type Received<Schema extends z.ZodMiniType> = Frozen<z.infer<Schema>>;

type Frozen<Value> = unknown extends Value
  ? Value
  : Value extends Uint8Array
    ? Uint8Array
    : { readonly [Key in keyof Value]: Frozen<Value[Key]> };

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Returns the schema of the bytes of a PNG file. */
export function pngBytes(maxBytes: number): z.ZodMiniType<Uint8Array> {
  return z
    .instanceof(Uint8Array)
    .check(
      z.refine((bytes) => bytes.length <= maxBytes && PNG_SIGNATURE.every((byte, index) => bytes[index] === byte)),
    );
}
