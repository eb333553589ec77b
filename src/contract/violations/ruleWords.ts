/*
 * Violations of the rules for one value that no JSON Schema expresses. Each code has its data, the parameter, and its message, the
 * result.
 */

export const ruleWords = {
  notADateTime: () => 'must be an RFC 3339 date-time, such as 2026-01-31T12:00:00Z',
  notAnObject: () => 'must be an object',
  notAPowerOfTwo: () => 'must be a power of two',
  nulCharacter: ({ part }: { readonly part: 'name' | 'value' }) =>
    `${part === 'name' ? 'names ' : ''}must not contain the NUL character`,
  portOutOfRange: ({ maximum }: { readonly maximum: number }) => `must have a port from 1 to ${maximum}`,
  repeatedGpuType: () => 'must not name a GPU type twice',
  nothingChanged: () => 'must change at least one member',
  exclusiveFields: ({ fields }: { readonly fields: readonly [string, string] }) =>
    `${fields.join(' and ')} exclude each other`,
};
