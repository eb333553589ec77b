/*
 * Classifies the failures of registries that engines and their programs report. Docker reports most of them with status 500, and Podman with
 * status 200 and a line of its report. Neither sends a code, so their words are all that there is.
 */

export type RegistryFailure =
  | 'wrongPlatform'
  | 'rateLimited'
  | 'noSpace'
  | 'denied'
  | 'unauthorized'
  | 'imageNotFound'
  | 'registryUnreachable'
  | 'registryFailing';

/** Kinds of failures by the engine's words, most specific first. */
const KINDS: readonly (readonly [kind: RegistryFailure, words: RegExp])[] = [
  [
    'wrongPlatform',
    /no matching manifest|no image found in (?:manifest list|image index)|exec format error|does not match the (?:specified|detected) platform|no child with platform/i,
  ],
  ['rateLimited', /toomanyrequests|too many requests|(?:rate|pull) limit/i],
  ['noSpace', /no space left on device|disk quota exceeded|not enough (?:disk )?space/i],
  // A registry does not tell whether an image is missing or forbidden.
  ['denied', /pull access denied|requested access to the resource is denied|repository does not exist or may require/i],
  [
    'unauthorized',
    /unauthorized|authentication required|no basic auth credentials|incorrect username or password|\bdenied\b|403 forbidden/i,
  ],
  ['imageNotFound', /manifest unknown|name unknown|manifest for .* not found|\bnot found\b|no such image/i],
  [
    'registryUnreachable',
    /\bdial tcp\b|connection refused|no such host|i\/o timeout|\btimeout\b|deadline exceeded|\btls\b|x509|certificate|server gave http response to https client|network is unreachable|connection reset|\bEOF\b/i,
  ],
  [
    'registryFailing',
    /unexpected (?:http )?status|internal server error|service unavailable|bad gateway|gateway timeout/i,
  ],
  ['registryUnreachable', /pinging container registry/i],
];

/** Returns the kind of a failure, or undefined if its words are unknown. */
export function registryFailure(reason: string): RegistryFailure | undefined {
  return KINDS.find(([, words]) => words.test(reason))?.[0];
}
