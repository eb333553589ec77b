/*
 * Violations of rules for one value that JSON Schema cannot express. Each code is a function from its data to its message.
 */

export const ruleWords = {
  notADateTime: () => 'must be an RFC 3339 date-time, such as 2026-01-31T12:00:00Z',
  notAnObject: () => 'must be an object',
  notAPowerOfTwo: () => 'must be a power of two',
  nulCharacter: ({ part }: { readonly part: 'name' | 'value' }) =>
    `${part === 'name' ? 'names ' : ''}must not contain the NUL character`,
  portOutOfRange: ({ maximum }: { readonly maximum: number }) => `must have a port from 1 to ${maximum}`,
  localCommandIncomplete: () => 'must contain both directory and command, or neither',
  repeatedGpuType: () => 'must not contain a GPU type twice',
  nothingChanged: () => 'must contain at least one field',
  exclusiveFields: ({ fields }: { readonly fields: readonly [string, string] }) =>
    `${fields.join(' and ')} cannot be combined`,
};
