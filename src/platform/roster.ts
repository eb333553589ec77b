/** A member of a roster. */
export interface Place<T> {
  /** Undefined once it has left. */
  readonly member: T | undefined;
}

interface Link<T> extends Place<T> {
  member: T | undefined;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/**
 * Members that come and go with every request, in the order in which they came. A `Set` replaces its table each time that enough members
 * have left. The old tables keep their last members alive, with all these refer to, until the next full garbage collection.
 */
export class Roster<T extends object> {
  #first: Link<T> | undefined;
  #last: Link<T> | undefined;

  add(member: T): Place<T> {
    const link: Link<T> = { member, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = link;
    else this.#first = link;
    this.#last = link;
    return link;
  }

  /** @param place returned by `add`. Does nothing if the member has left before */
  remove(place: Place<T>): void {
    const link = place as Link<T>;
    if (link.member === undefined) return;
    const { previous, next } = link;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // A link that is garbage must keep nothing alive.
    link.member = link.previous = link.next = undefined;
  }

  /** Those that are there now. */
  members(): T[] {
    const members: T[] = [];
    for (let link = this.#first; link; link = link.next) if (link.member) members.push(link.member);
    return members;
  }
}
