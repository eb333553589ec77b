import { words } from '../words.ts';

/*
 * Violations of rules for one value that JSON Schema cannot express. Each code is a function from its data to its message.
 */

export const ruleWords = {
  notADateTime: () => words`must be an RFC 3339 date-time, such as 2026-01-31T12:00:00Z`,
  notAnObject: () => words`must be an object`,
  notAPowerOfTwo: () => words`must be a power of two`,
  nulCharacter: ({ part }: { readonly part: 'name' | 'value' }) =>
    part === 'name' ? words`names must not contain the NUL character` : words`must not contain the NUL character`,
  portOutOfRange: ({ maximum }: { readonly maximum: number }) => words`must have a port from 1 to ${maximum}`,
  localCommandIncomplete: () => words`must contain both directory and command, or neither`,
  repeatedGpuType: () => words`must not contain a GPU type twice`,
  nothingChanged: () => words`must contain at least one field`,
  exclusiveFields: ({ fields: [one, other] }: { readonly fields: readonly [string, string] }) =>
    words`${one} and ${other} cannot be combined`,
};
