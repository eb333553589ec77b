/** A member of a roster. */
export interface Place<T> {
  /** undefined once the member has been removed. */
  readonly member: T | undefined;
}

interface Link<T> extends Place<T> {
  member: T | undefined;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/**
 * An ordered collection whose members are added and removed with every request. A `Set` replaces its table whenever enough members have
 * been removed. The old tables keep their last members, and everything they refer to, alive until the next full garbage collection.
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

  /** Removes a member; does nothing if it has been removed. @param place the return value of `add` */
  remove(place: Place<T>): void {
    const link = place as Link<T>;
    if (link.member === undefined) return;
    const { previous, next } = link;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    // A removed link must not keep other objects alive.
    link.member = link.previous = link.next = undefined;
  }

  /** Place of the earliest current member; undefined if there is none. */
  get first(): Place<T> | undefined {
    return this.#first;
  }

  /** Returns the current members in the order in which they were added, at most `limit`. */
  members(limit = Number.POSITIVE_INFINITY): T[] {
    const members: T[] = [];
    for (let link = this.#first; link && members.length < limit; link = link.next)
      if (link.member) members.push(link.member);
    return members;
  }
}
