import path from 'node:path';
import { withoutQuotes, stepsTo } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';
import { environmentsOf, manifestIn } from '../patched/environmentsOf.ts';
import type { ParsedFile } from '../text/parsed.ts';
import type { ManifestNode } from '../text/node.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../../contract/processImage.ts';

export type ManifestLink = Span &
  (
    | { readonly kind: 'image'; readonly page: string }
    /** A directory, relative to the manifest. It may not exist. */
    | { readonly kind: 'directory'; readonly directory: string }
    /** A file, relative to the manifest. It may not exist. */
    | { readonly kind: 'file'; readonly file: string }
  );

/** Returns the links of a manifest: from images to their pages, from the folders of workers and builds, and from Dockerfiles, schemas, jobs, and requests. */
export function manifestLinks({ text, parts }: ParsedFile): ManifestLink[] {
  const links = parts
    .flatMap(({ root }) => [root, ...environmentsOf(root).map((environment) => manifestIn(environment, root))])
    .flatMap((root) => linksOf(root, text));
  // Environments repeat the links of the manifest.
  return [...new Map(links.toReversed().map((link) => [link.start, link])).values()].reverse();
}

function linksOf(root: ManifestNode | undefined, text: string): ManifestLink[] {
  const image = textAt(root, text, ['image']);
  const page = image && imagePage(image.value);
  const local = textAt(root, text, ['x-local', 'directory']);
  const context = textAt(root, text, ['x-build', 'context']);
  const dockerfile = textAt(root, text, ['x-build', 'dockerfile']);
  const files = [
    textAt(root, text, ['x-local', 'inputSchema']),
    textAt(root, text, ['x-verify', 'job']),
    textAt(root, text, ['x-verify', 'request']),
    textAt(root, text, ['x-verify', 'expect', 'schema']),
  ];
  const folders = [local, context].filter((one) => one !== undefined);
  return [
    ...(!image || page === undefined ? [] : [{ kind: 'image' as const, ...image.span, page }]),
    ...folders.map(({ span, value }) => ({ kind: 'directory' as const, ...span, directory: value })),
    ...(dockerfile
      ? [{ kind: 'file' as const, ...dockerfile.span, file: inContext(context?.value, dockerfile.value) }]
      : []),
    ...files.flatMap((one) => (one ? [{ kind: 'file' as const, ...one.span, file: one.value }] : [])),
  ];
}

/** Returns the path of a Dockerfile relative to the manifest. */
const inContext = (context = '.', file: string): string => (path.isAbsolute(file) ? file : path.join(context, file));

/** Returns the string at a path, unless it is empty, spans lines, or is written at an anchor. */
function textAt(root: ManifestNode | undefined, text: string, path: readonly string[]) {
  const step = stepsTo(root, path)[path.length];
  const node = step?.node;
  if (!node || step.shared || node.alias || node.kind !== 'scalar' || node.style === 'block') return undefined;
  const span = withoutQuotes(node, text);
  const isOnOneLine = !/[\r\n]/.test(text.slice(span.start, span.end));
  return typeof node.value === 'string' && span.end > span.start && isOnOneLine
    ? { value: node.value, span: { start: span.start, end: span.end } }
    : undefined;
}

/* Web pages of container images. */

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\\d{1,5})?';
/** An image reference: host, path, tag, and digest. */
const REFERENCE = new RegExp(
  `^(?:(${HOST})/)?(${COMPONENT}(?:/${COMPONENT})*)(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z0-9+._-]+:[0-9a-fA-F]{32,})?$`,
);
const LONGEST = 500;

const DOCKER_HUB = ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'];

/** Pages of registries whose web site is at another address than their images. */
const sites: Readonly<Record<string, (path: readonly string[]) => string>> = {
  'quay.io': (path) => `https://quay.io/repository/${path.join('/')}`,
  'public.ecr.aws': (path) => `https://gallery.ecr.aws/${path.join('/')}`,
  'mcr.microsoft.com': (path) => `https://mcr.microsoft.com/artifact/mar/${path.join('/')}`,
  'nvcr.io': (path) => {
    const [organization = '', ...rest] = path;
    const name = rest.at(-1) ?? '';
    const team = rest.length > 1 ? `/teams/${rest.slice(0, -1).join('/')}` : '';
    return `https://catalog.ngc.nvidia.com/orgs/${organization}${team}/containers/${name}`;
  },
};

/** Returns the address of an image's page, or undefined if the reference is invalid, local, or on a private host. */
export function imagePage(reference: string): string | undefined {
  if (reference.length > LONGEST || reference.startsWith(PROCESS_IMAGE_PREFIX)) return undefined;
  const { host, path } = partsOf(reference) ?? {};
  if (host === undefined || !path) return undefined;
  if (DOCKER_HUB.includes(host)) return dockerHubPage(path);
  if (!isPublic(host)) return undefined;
  const site = Object.hasOwn(sites, host) ? sites[host] : undefined;
  return site ? site(path) : `https://${host}/${path.join('/')}`;
}

/** Splits a reference as Docker does: a first component without a dot or a port, other than `localhost`, is not a host. */
function partsOf(reference: string): { readonly host: string; readonly path: readonly string[] } | undefined {
  const [first = '', ...rest] = reference.split('/');
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const [, host, path] = REFERENCE.exec(hasHost ? reference : `docker.io/${reference}`) ?? [];
  return host === undefined || path === undefined ? undefined : { host: host.toLowerCase(), path: path.split('/') };
}

function dockerHubPage(path: readonly string[]): string | undefined {
  const [first, second, ...others] = path;
  // Docker Hub has no deeper paths.
  if (first === undefined || others.length > 0) return undefined;
  if (second === undefined) return `https://hub.docker.com/_/${first}`;
  return first === 'library' ? `https://hub.docker.com/_/${second}` : `https://hub.docker.com/r/${first}/${second}`;
}

const PRIVATE_SUFFIXES = ['local', 'localhost', 'internal', 'lan', 'home', 'corp', 'test', 'invalid'];

/** Returns whether the host has a domain name that is not reserved for private networks. */
function isPublic(host: string): boolean {
  const labels = host.replace(/:\d+$/, '').split('.');
  const top = labels.at(-1) ?? '';
  return (
    labels.length > 1 && labels.every((label) => label !== '') && !/^\d+$/.test(top) && !PRIVATE_SUFFIXES.includes(top)
  );
}
