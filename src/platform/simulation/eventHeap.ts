/** A queue of events by their times. Events of the same time keep their order. It allocates no memory for an event. */
export class EventHeap<Event> {
  readonly #times: number[] = [];
  /** Numbers of the events in order of their addition. */
  readonly #numbers: number[] = [];
  readonly #events: Event[] = [];
  #added = 0;

  /** Time of the first event. Infinity if there is none. */
  get nextAt(): number {
    return this.#times[0] ?? Infinity;
  }

  add(at: number, event: Event): void {
    const number = this.#added++;
    let index = this.#times.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      // A later event of the same time has a higher number.
      if ((this.#times[parent] as number) <= at) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#set(index, at, number, event);
  }

  /** Removes and returns the first event. There must be one. */
  take(): Event {
    const first = this.#events[0] as Event;
    const at = this.#times.pop() as number;
    const number = this.#numbers.pop() as number;
    const event = this.#events.pop() as Event;
    const count = this.#times.length;
    if (count === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#isBefore(child + 1, child)) child++;
      const childAt = this.#times[child] as number;
      if (at < childAt || (at === childAt && number < (this.#numbers[child] as number))) break;
      this.#move(child, index);
      index = child;
    }
    this.#set(index, at, number, event);
    return first;
  }

  #isBefore(left: number, right: number): boolean {
    const [leftAt, rightAt] = [this.#times[left] as number, this.#times[right] as number];
    return (
      leftAt < rightAt || (leftAt === rightAt && (this.#numbers[left] as number) < (this.#numbers[right] as number))
    );
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#times[from] as number, this.#numbers[from] as number, this.#events[from] as Event);
  }

  #set(index: number, at: number, number: number, event: Event): void {
    this.#times[index] = at;
    this.#numbers[index] = number;
    this.#events[index] = event;
  }
}
