/** Object URLs of the pictures that the page shows, by ID. Only they can be shown under the page's policy. */
export class Pictures {
  readonly #addresses = new Map<string, string>();

  add(id: string, bytes: Uint8Array, mediaType: string): void {
    const old = this.#addresses.get(id);
    if (old !== undefined) URL.revokeObjectURL(old);
    this.#addresses.set(id, URL.createObjectURL(new Blob([new Uint8Array(bytes)], { type: mediaType })));
  }

  /** Releases all pictures other than these. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const [id, address] of this.#addresses) {
      if (ids.has(id)) continue;
      URL.revokeObjectURL(address);
      this.#addresses.delete(id);
    }
  }

  get addresses(): ReadonlyMap<string, string> {
    return new Map(this.#addresses);
  }
}
