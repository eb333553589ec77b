/*
 * Violations that the editor detects in a manifest before it sends a request. Each code is a function from its data to its message.
 */

interface Malformed {
  /** The text of the reference. */
  readonly written: string;
  readonly problem: 'name' | 'unclosed' | 'kind';
  /** The corrected reference, if the intended one is known. */
  readonly instead?: string | undefined;
}

const MALFORMED = { name: 'has no valid name', unclosed: 'has no closing brace', kind: 'is not a reference' };

export const manifestWords = {
  containerImageLocally: () =>
    'The local platform runs this image on a container engine, such as Docker. To run a process instead, add a directory and a command to x-local',
  deprecatedField: ({ field, instead }: { readonly field: string; readonly instead: string }) =>
    `${field} is deprecated. Use ${instead} instead`,
  typeChanged: () => 'type cannot be changed. Create another endpoint instead',
  hardwareFamilyChanged: () => 'an endpoint cannot change between GPUs and CPUs. Create another endpoint instead',
  fieldRemoved: ({ field }: { readonly field: string; readonly before: unknown }) =>
    `${field} cannot be removed. Set another value, or restore the previous one`,
  unresolvedVariable: ({ name }: { readonly name: string }) =>
    `the environment of the editor has no variable '${name}'`,
  /** @param data `known` lists the names of all secrets */
  unresolvedSecret: ({ name }: { readonly name: string; readonly known: readonly string[] }) =>
    `there is no secret '${name}'`,
  malformedReference: ({ written, problem, instead }: Malformed) =>
    `'${written}' ${MALFORMED[problem]}${instead === undefined ? '' : `; did you mean '${instead}'?`}`,
  /** @param data `looksLike` names the kind of key. The value itself is not part of the data */
  literalKey: ({ looksLike }: { readonly variable: string; readonly looksLike: string }) =>
    `the value looks like ${looksLike}. Move it to a secret`,
};
