/*
 * Violations that the editor detects in a manifest before any service sees it. Each code has its data, the parameter, and its message,
 * the result.
 */

export const manifestWords = {
  containerImageLocally: () =>
    'The local platform does not run container images: add x-local with the directory and the command of the worker',
  typeChanged: () =>
    'type cannot be changed: requests reach a queue and a load balancer in different ways. Create another endpoint instead',
  hardwareFamilyChanged: () =>
    'an endpoint stays on GPUs or on CPUs for its life. Create another endpoint to move it to the other',
  fieldRemoved: ({ field }: { readonly field: string; readonly before: unknown }) =>
    `${field} cannot be taken away; give it another value, or its old one`,
};
