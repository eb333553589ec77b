import { nodeAt } from '../text/locate.ts';
import type { ManifestNode } from '../text/node.ts';
import type { ParsedPart } from '../text/parsed.ts';

/** Endpoint that a manifest belongs to. `linked` is true if a stored link names it, and false if it has the name of the manifest. */
export type Match =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly endpointId: string; readonly linked: boolean }
  /** Several endpoints have the name of the manifest. */
  | { readonly kind: 'ambiguous'; readonly endpointIds: readonly string[] };

interface Candidate {
  readonly id: string;
  readonly name: string;
}

/**
 * Finds the endpoint of a manifest among those of a connection. A link to an endpoint that no longer exists has no effect.
 *
 * @param name undefined if the manifest has no readable name
 */
export function matchEndpoint(
  { name, linkedId }: { readonly name: string | undefined; readonly linkedId: string | undefined },
  endpoints: readonly Candidate[],
): Match {
  if (linkedId !== undefined && endpoints.some(({ id }) => id === linkedId))
    return { kind: 'one', endpointId: linkedId, linked: true };
  const namesakes = endpoints.filter((endpoint) => endpoint.name === name).map(({ id }) => id);
  const [only, ...others] = namesakes;
  if (only === undefined) return { kind: 'none' };
  return others.length === 0
    ? { kind: 'one', endpointId: only, linked: false }
    : { kind: 'ambiguous', endpointIds: namesakes };
}

/** Returns the name that a part gives its endpoint in the chosen environment, even if the part has errors. */
export function nameOf({ root, patched }: Named): string | undefined {
  const node = nodeAt(patched ?? root, ['name']);
  return node?.kind === 'scalar' && typeof node.value === 'string' && node.value !== '' ? node.value : undefined;
}

interface Named extends Pick<ParsedPart, 'root'> {
  /** Tree in the chosen environment. */
  readonly patched?: ManifestNode | undefined;
}

/** A stored link from one endpoint of a file to a deployed endpoint. */
export interface EndpointLink {
  /** URI of the file. */
  readonly file: string;
  /** Index of the endpoint in the file. */
  readonly part: number;
  /** Name that the manifest had. Undefined if it had none. */
  readonly name?: string | undefined;
  /** Environment that the manifest was deployed in. Undefined if it had none. */
  readonly environment?: string | undefined;
  readonly endpointId: string;
}

/** Position of a manifest in its file. */
export interface PartAddress {
  readonly file: string;
  readonly part: number;
  /** Names of all endpoints of the file. */
  readonly names: readonly (string | undefined)[];
  /** The chosen environment of this endpoint, which has its own links. */
  readonly environment?: string | undefined;
}

/**
 * Finds the link of a part: the one with its name, otherwise the one with its index. A link follows its name when documents are added or
 * moved, and its index when the name changes.
 */
export function linkOf(links: readonly EndpointLink[], address: PartAddress): EndpointLink | undefined {
  const { file, part, names, environment } = address;
  const own = links.filter((link) => link.file === file && link.environment === environment);
  const name = names[part];
  const named = own.filter((link) => name !== undefined && link.name === name);
  const isUnique = names.filter((other) => other === name).length === 1;
  return (
    named.find((link) => link.part === part) ??
    (isUnique ? named[0] : undefined) ??
    own.find((link) => link.part === part && (link.name === undefined || !names.includes(link.name)))
  );
}

/** Maximum number of links per connection. The oldest links are removed first. */
const MAX_LINKS = 500;

/** Adds a link, which replaces the earlier link of the same part. */
export function withLink(
  links: readonly EndpointLink[],
  address: PartAddress,
  endpointId: string,
): readonly EndpointLink[] {
  const { file, part, names, environment } = address;
  const name = names[part];
  const link: EndpointLink = {
    ...{ file, part, endpointId },
    ...(name !== undefined && { name }),
    ...(environment !== undefined && { environment }),
  };
  return [...withoutLink(links, address), link].slice(-MAX_LINKS);
}

/** Removes the link of a part. */
export function withoutLink(links: readonly EndpointLink[], address: PartAddress): readonly EndpointLink[] {
  const old = linkOf(links, address);
  return old ? links.filter((link) => link !== old) : links;
}

/** Returns the links after a file or a folder was renamed, or deleted if `to` is undefined. */
export function afterMove(
  links: readonly EndpointLink[],
  from: string,
  to: string | undefined,
): readonly EndpointLink[] {
  const isInside = ({ file }: EndpointLink) => file === from || file.startsWith(`${from}/`);
  if (!links.some(isInside)) return links;
  if (to === undefined) return links.filter((link) => !isInside(link));
  return links.map((link) => (isInside(link) ? { ...link, file: to + link.file.slice(from.length) } : link));
}
