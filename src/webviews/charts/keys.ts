/** Number of bars that Page Up and Page Down move by. */
const PAGE = 10;

/** Returns the index of the bar that a key moves to. Undefined for other keys. */
export function barAfterKey(key: string, current: number, count: number): number | undefined {
  const last = count - 1;
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return Math.max(0, current - 1);
    case 'ArrowRight':
    case 'ArrowUp':
      return Math.min(last, current + 1);
    case 'PageDown':
      return Math.max(0, current - PAGE);
    case 'PageUp':
      return Math.min(last, current + PAGE);
    case 'Home':
      return 0;
    case 'End':
      return last;
    default:
      return undefined;
  }
}

/** Returns the hidden series after a toggle. The last visible series cannot be hidden. */
export function toggled(hidden: readonly string[], id: string, all: readonly string[]): readonly string[] {
  if (hidden.includes(id)) return hidden.filter((one) => one !== id);
  const next = [...hidden, id];
  return all.every((one) => next.includes(one)) ? hidden : next;
}
