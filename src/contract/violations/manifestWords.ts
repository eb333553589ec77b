/*
 * Violations that the editor detects in a manifest before it sends a request. Each code is a function from its data to its message.
 */

export const manifestWords = {
  containerImageLocally: () =>
    'The local platform does not run container images. Add x-local with the directory and the command of the worker',
  deprecatedField: ({ field, instead }: { readonly field: string; readonly instead: string }) =>
    `${field} is deprecated. Use ${instead} instead`,
  typeChanged: () => 'type cannot be changed. Create another endpoint instead',
  hardwareFamilyChanged: () => 'an endpoint cannot change between GPUs and CPUs. Create another endpoint instead',
  fieldRemoved: ({ field }: { readonly field: string; readonly before: unknown }) =>
    `${field} cannot be removed. Set another value, or restore the previous one`,
};
