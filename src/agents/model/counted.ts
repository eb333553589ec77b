/** Returns a count with its noun in English, such as "1 item" or "2 items". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
