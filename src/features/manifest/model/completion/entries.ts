import type { Completion } from './completion.ts';
import type { Request } from './request.ts';

/* Parts that all kinds of completions share. */

/** Groups of a list, in their order. `excluded` breaks a rule because of another field. */
const GROUPS = ['required', 'usual', 'unavailable', 'excluded', 'deprecated'] as const;

export type Group = (typeof GROUPS)[number];

/** Returns a key that sorts by group, and then by order. */
export function sortKey(group: Group, index: number): string {
  return `${GROUPS.indexOf(group)}${String(index).padStart(4, '0')}`;
}

/** Returns the comma that the previous value lacks. */
export function missingComma({ place: { missingComma: at } }: Request): Completion['also'] {
  return at === undefined ? undefined : { start: at, end: at, text: ',' };
}
