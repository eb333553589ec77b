/** Limits the number of workers that this machine runs at a time. Workers without a slot wait in order of arrival. */
export class HostCapacity {
  readonly limit: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether the next worker is admitted at once. */
  get hasFreeSlot(): boolean {
    return this.#taken < this.limit;
  }

  /**
   * Calls back once a slot is free, or immediately if one is free now.
   *
   * @returns a function that releases the slot, or stops waiting for one; further calls do nothing
   */
  admit(onAdmitted: () => void): () => void {
    let admitted = false;
    let left = false;
    const enter = (): void => {
      admitted = true;
      this.#taken++;
      onAdmitted();
    };
    if (this.hasFreeSlot) enter();
    else this.#waiting.add(enter);
    return () => {
      if (left) return;
      left = true;
      if (admitted) this.#release();
      else this.#waiting.delete(enter);
    };
  }

  #release(): void {
    this.#taken--;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next);
    next();
  }
}
