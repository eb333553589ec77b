/** A parsed reference of an image, with Docker's defaults filled in. */
export interface ImageReference {
  /** Host of the registry, with its port if it has one, such as `docker.io` or `localhost:5000`. */
  readonly registry: string;
  /** Path in the registry, such as `library/python`. */
  readonly repository: string;
  /** `latest` if the reference has neither a tag nor a digest. */
  readonly tag?: string | undefined;
  /** Such as `sha256:0123…`. Takes precedence over the tag. */
  readonly digest?: string | undefined;
}

const DEFAULT_REGISTRY = 'docker.io';
/** Namespace of Docker's official images, all of which are public. */
const OFFICIAL_NAMESPACE = 'library';
/** Other host names of the default registry. */
const DEFAULT_REGISTRY_ALIASES = ['index.docker.io', 'registry-1.docker.io'];

const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/i;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[a-z][a-z0-9]*(?:[+._-][a-z0-9]+)*:[0-9a-f]{32,128}$/;
/** Maximum length of the registry and the repository. */
const MAX_NAME_LENGTH = 255;

/** Parses a reference as Docker does. Returns undefined if it is invalid. */
export function parseImageReference(text: string): ImageReference | undefined {
  const { name, tag, digest } = partsOf(text);
  if ((digest !== undefined && !DIGEST.test(digest)) || (tag !== undefined && !TAG.test(tag))) return undefined;
  const { registry, path } = splitName(name);
  if (!HOST.test(registry) || !path.split('/').every((part) => COMPONENT.test(part))) return undefined;
  const isOfficial = registry === DEFAULT_REGISTRY && !path.includes('/');
  const repository = isOfficial ? `${OFFICIAL_NAMESPACE}/${path}` : path;
  if (registry.length + repository.length + 1 > MAX_NAME_LENGTH) return undefined;
  return { registry, repository, tag: tag ?? (digest === undefined ? 'latest' : undefined), digest };
}

/** Returns the parts as they are written. They can be invalid. */
function partsOf(text: string): { readonly name: string; readonly tag?: string; readonly digest?: string } {
  const at = text.indexOf('@');
  const named = at === -1 ? text : text.slice(0, at);
  const colon = named.indexOf(':', named.lastIndexOf('/') + 1);
  return {
    name: colon === -1 ? named : named.slice(0, colon),
    ...(colon !== -1 && { tag: named.slice(colon + 1) }),
    ...(at !== -1 && { digest: text.slice(at + 1) }),
  };
}

/** The first component is a host only if it contains a dot or a port, is `localhost`, or has upper-case letters, which paths cannot have. */
function splitName(name: string): { readonly registry: string; readonly path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const isHost = /[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase();
  if (slash === -1 || !isHost) return { registry: DEFAULT_REGISTRY, path: name };
  const registry = DEFAULT_REGISTRY_ALIASES.includes(first) ? DEFAULT_REGISTRY : first;
  return { registry, path: name.slice(slash + 1) };
}

/** Returns the name with its registry, without tag and digest, such as `docker.io/library/python`. Engines complete shorter names differently. */
export function imageName({ registry, repository }: ImageReference): string {
  return `${registry}/${repository}`;
}

/** Returns the complete reference. A digest replaces the tag. */
export function imageText(reference: ImageReference): string {
  const { tag, digest } = reference;
  return imageName(reference) + (digest === undefined ? `:${tag}` : `@${digest}`);
}

/** Returns the reference with a digest instead of its tag. The name stays as it is written, so that people recognize it in a cluster. */
export function pinnedImage(image: string, digest: string): string {
  return `${partsOf(image).name}@${digest}`;
}

/** Returns true for an image that everybody can pull, so a refusal means that it does not exist. */
export function isOfficialImage({ registry, repository }: ImageReference): boolean {
  return registry === DEFAULT_REGISTRY && repository.startsWith(`${OFFICIAL_NAMESPACE}/`);
}

/** Registry of images that only the engine of this machine has. Podman gives this name to all images that it builds. */
const LOCAL_REGISTRY = 'localhost';

/** Returns the reference of a build that only the engine of this machine has. @param repository path, such as `team/hello` */
export function localImage(repository: string, tag: string): string {
  return `${LOCAL_REGISTRY}/${repository}:${tag}`;
}

/** Returns whether only the engine of this machine has an image. No registry is asked for it. */
export function isLocalImage(image: string): boolean {
  return parseImageReference(image)?.registry === LOCAL_REGISTRY;
}

/** Returns whether a text is the name of a repository, without a tag and a digest. */
export function isRepository(text: string): boolean {
  return partsOf(text).name === text && parseImageReference(text) !== undefined;
}

/** Returns the repository in a reference, in lower case and without its tag and digest. Undefined if there is none. */
export function repositoryIn(text: string): string | undefined {
  const name = partsOf(text.trim()).name.toLowerCase();
  return isRepository(name) ? name : undefined;
}

/** Returns whether a text is a tag. */
export function isTag(text: string): boolean {
  return TAG.test(text);
}

/** Returns the address by which engines and clusters find the credential of a registry. */
export function credentialAddress({ registry }: ImageReference): string {
  return registry === DEFAULT_REGISTRY ? 'https://index.docker.io/v1/' : registry;
}
