import { BUILD_DEFAULTS } from '../../../../contract/imageBuild.ts';
import { imageText, isTag, localImage, parseImageReference } from '../../../../contract/imageReference.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import type { FieldError } from '../../../../contract/violation.ts';
import { lineOf } from '../../../../machine/builder/buildProgress.ts';
import { parseDockerfile } from '../../../../machine/builder/dockerfile.ts';
import {
  findBuilder,
  type Builder,
  type BuilderKind,
  type NoBuilder,
} from '../../../../machine/builder/findBuilder.ts';
import { runBuild } from '../../../../machine/builder/runBuild.ts';
import { EngineError } from '../../../../machine/engine/engineApi.ts';
import { imageId, inspectImage, tagImage } from '../../../../machine/engine/engineImage.ts';
import { buildArgumentErrors, buildFileErrors } from '../../model/build/buildProblems.ts';
import { readBuildFiles } from './readBuildFiles.ts';

/* Builds the image of a manifest with the builder of the user. */

export interface ImageBuild {
  /** The manifest. Its image is not read. */
  readonly manifest: Pick<Manifest, 'name' | 'x-build' | 'args' | 'entrypoint' | 'cmd'>;
  /** Absolute path of the manifest's folder. */
  readonly folder: string;
  /** Tag of the image. Default: the beginning of its ID, so that equal images have equal names. */
  readonly tag?: string | undefined;
  /** The engine: an address like `DOCKER_HOST`, or the name of a Docker context. Default: that of the local platform. */
  readonly engine?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** Called with text for a terminal: the command, and what the builder prints. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

/** An image on the engine. Only this machine has it. */
export interface BuiltImage {
  /** ID on the engine, such as `sha256:0123…`. */
  readonly id: string;
  /** Name on the engine, such as `localhost/team/hello:0123456789ab`, which a manifest for the local platform can have as its image. */
  readonly reference: string;
  /** Such as `linux/amd64`. */
  readonly platform: string;
  readonly sizeBytes: number;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly directory: string;
  /** Variables, each `NAME=value`. */
  readonly variables: readonly string[];
  /** Such as `8000/tcp`. */
  readonly exposedPorts: readonly string[];
  readonly builder: Builder;
}

export type BuildFailure =
  | NoBuilder
  /** The manifest or its files do not allow a build. Nothing was started. */
  | { readonly code: 'invalid'; readonly errors: readonly FieldError[] }
  | { readonly code: 'invalidTag'; readonly tag: string }
  /** An instruction failed. @property line of the Dockerfile, from 1 */
  | { readonly code: 'dockerfile'; readonly file: string; readonly line: number; readonly reason: string }
  | { readonly code: 'noSpace'; readonly reason: string }
  /** Another failure, with the last words of the builder. */
  | { readonly code: 'failed'; readonly builder: BuilderKind; readonly reason: string }
  | { readonly code: 'canceled' };

export type BuildResult =
  { readonly kind: 'built'; readonly image: BuiltImage } | { readonly kind: 'failed'; readonly failure: BuildFailure };

/** Builds the image of a manifest on the container engine, with the login and the cache of the user's own builder. Never throws. */
export async function buildImage(build: ImageBuild): Promise<BuildResult> {
  const { manifest, folder, tag, engine, environment, onOutput, signal } = build;
  const failed = (failure: BuildFailure): BuildResult => ({ kind: 'failed', failure });
  const part = manifest['x-build'] ?? {};
  if (tag !== undefined && !isTag(tag)) return failed({ code: 'invalidTag', tag });
  const files = await readBuildFiles(folder, part);
  const fileErrors = buildFileErrors(part, manifest, files).filter(({ severity }) => severity === 'error');
  const errors = [...buildArgumentErrors(part.args ?? {}), ...fileErrors];
  if (errors.length > 0) return failed({ code: 'invalid', errors });
  let address = '';
  try {
    const builder = await findBuilder({ engine, environment, signal });
    if ('code' in builder) return failed(builder);
    ({ address } = builder.engine.route);
    const repository = localRepository(manifest);
    const { target, args, platform = BUILD_DEFAULTS.platform } = part;
    const name = localImage(repository, tag ?? 'latest');
    const { context, file: dockerfile } = files;
    const run = { context, dockerfile, target, args, platform, image: name, onOutput, signal };
    const end = await runBuild(builder, run);
    if (end.kind === 'canceled') return failed({ code: 'canceled' });
    if (end.kind === 'failed') {
      const line = end.place && lineOf(parseDockerfile(files.dockerfile ?? ''), end.place, isSameImage);
      return failed(failureOf(end.reason, { builder, file: dockerfile, line }));
    }
    return await builtImage(builder, { name, tag, repository, signal });
  } catch (error) {
    if (signal.aborted) return failed({ code: 'canceled' });
    if (!(error instanceof EngineError)) throw error;
    return failed({ code: 'engineUnreachable', address, reason: error.message });
  }
}

/** The image on the engine, named after its ID unless it has a tag. @throws EngineError; the signal's reason */
async function builtImage(
  builder: Builder,
  { name, tag, repository, signal }: { name: string; tag: string | undefined; repository: string; signal: AbortSignal },
): Promise<BuildResult> {
  const { engine } = builder;
  const found = await inspectImage(engine, name, signal);
  if (!found) {
    const reason = `${name} is not on the engine after the build`;
    return { kind: 'failed', failure: { code: 'failed', builder: builder.kind, reason } };
  }
  const id = imageId(found.Id ?? '');
  const reference =
    tag === undefined ? localImage(repository, id.slice(id.indexOf(':') + 1).slice(0, ID_LENGTH)) : name;
  if (tag === undefined) {
    const { registry, repository: path_, tag: own = '' } = parseImageReference(reference) ?? {};
    await tagImage(engine, id, { repo: `${registry}/${path_}`, tag: own }, signal);
  }
  const { Architecture: architecture = '', Os: os = 'linux', Size: sizeBytes = 0, Config: config } = found;
  const image: BuiltImage = {
    ...{ id, reference, platform: `${os}/${architecture}`, sizeBytes, builder },
    entrypoint: config?.Entrypoint ?? [],
    cmd: config?.Cmd ?? [],
    directory: config?.WorkingDir ?? '',
    variables: config?.Env ?? [],
    exposedPorts: Object.keys(config?.ExposedPorts ?? {}),
  };
  return { kind: 'built', image };
}

/** Number of hexadecimal digits in the tag of an image without another tag. */
const ID_LENGTH = 12;

/** Builders have no code for a full disk. These are the words of the operating system. */
const NO_SPACE = /no space left on device|disk quota exceeded/i;

function failureOf(
  reason: string,
  { builder, file, line }: { builder: Builder; file: string; line: number | undefined },
): BuildFailure {
  if (NO_SPACE.test(reason)) return { code: 'noSpace', reason };
  return line === undefined
    ? { code: 'failed', builder: builder.kind, reason }
    : { code: 'dockerfile', file, line, reason };
}

/** Returns the path of the image below `localhost`: that of its repository, or the name of the endpoint. */
function localRepository({ name, 'x-build': build }: Pick<Manifest, 'name' | 'x-build'>): string {
  const reference = build?.repository === undefined ? undefined : parseImageReference(build.repository);
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return reference?.repository ?? (slug === '' ? 'image' : slug);
}

function isSameImage(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => parseImageReference(text));
  return first !== undefined && second !== undefined && imageText(first) === imageText(second);
}
