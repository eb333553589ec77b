import type { EditedImage } from './model/imageEdit.ts';

type Bytes = Pick<EditedImage, 'bytes' | 'mediaType'>;

/** Gives IDs to the bytes of pictures, and remembers which of them the page has received. */
export class PictureRegister {
  /** IDs of bytes, which are compared by identity. */
  #ids = new WeakMap<Uint8Array, string>();
  #sent = new Set<string>();
  #last = 0;

  idOf(bytes: Uint8Array): string {
    const known = this.#ids.get(bytes);
    if (known !== undefined) return known;
    const id = `picture-${++this.#last}`;
    this.#ids.set(bytes, id);
    return id;
  }

  /** Returns the pictures that the page has not received, and counts them as sent. The page drops all others than these. */
  unsent(pictures: readonly (Bytes | undefined)[]): readonly (Bytes & { readonly id: string })[] {
    const known = this.#sent;
    const wanted = pictures.flatMap((picture) => (picture ? [{ ...picture, id: this.idOf(picture.bytes) }] : []));
    const unique = [...new Map(wanted.map((picture) => [picture.id, picture])).values()];
    this.#sent = new Set(unique.map(({ id }) => id));
    // VS Code posts typed arrays with their whole buffer, and a `Buffer` as a list of numbers. The copy is neither.
    return unique
      .filter(({ id }) => !known.has(id))
      .map(({ id, bytes, mediaType }) => ({ id, bytes: new Uint8Array(bytes), mediaType }));
  }

  /** Forgets which pictures were sent, because the page was loaded again. */
  forget(): void {
    this.#sent = new Set();
  }
}
