import type { ImageInspect } from '@docker/node-sdk';
import { imageName, isTag, parseImageReference, type ImageReference } from '../../../../contract/imageReference.ts';
import type { Builder } from '../../../../machine/builder/findBuilder.ts';
import { runTransfer } from '../../../../machine/builder/runBuild.ts';
import { EngineError } from '../../../../machine/engine/engineApi.ts';
import { digestsOf, inspectImage, localDigest, tagImage } from '../../../../machine/engine/engineImage.ts';
import { registryFailure } from '../../../../machine/engine/registryFailure.ts';
import type { BuiltImage } from './buildImage.ts';

/* Pushes a built image to its repository. */

export interface ImagePush {
  readonly image: BuiltImage;
  /** `x-build.repository` of the manifest. */
  readonly repository: string | undefined;
  /** Tag in the repository. Default: that of the built image. */
  readonly tag?: string | undefined;
  /** Called with text for a terminal: the command, and what the program prints. */
  readonly onOutput: (text: string) => void;
  readonly signal: AbortSignal;
}

export type PushFailure =
  | { readonly code: 'noRepository' }
  | { readonly code: 'invalidTag'; readonly tag: string }
  /** The registry refuses the login of the program, or there is none. */
  | {
      readonly code: 'credentials';
      readonly registry: string;
      readonly program: Builder['program'];
      readonly reason: string;
    }
  | { readonly code: 'registryUnreachable'; readonly registry: string; readonly reason: string }
  | { readonly code: 'registryFailing'; readonly registry: string; readonly reason: string }
  | { readonly code: 'noSpace'; readonly reason: string }
  | { readonly code: 'engineUnreachable'; readonly address: string; readonly reason: string }
  /** The image is in the registry, but the engine does not report its digest. */
  | { readonly code: 'digestUnknown'; readonly reference: string }
  | { readonly code: 'failed'; readonly reason: string }
  | { readonly code: 'canceled' };

export type PushResult =
  | {
      readonly kind: 'pushed';
      /** Reference for the manifest, with its tag and its digest, such as `registry.example.com/hello:1@sha256:0123…`. */
      readonly reference: string;
      readonly digest: string;
    }
  | { readonly kind: 'failed'; readonly failure: PushFailure };

/** Pushes an image with the login of the user's own program. After an interruption, another push sends only the missing layers. */
export async function pushImage(push: ImagePush): Promise<PushResult> {
  const { image, repository, onOutput, signal } = push;
  const failed = (failure: PushFailure): PushResult => ({ kind: 'failed', failure });
  const { builder } = image;
  const { engine } = builder;
  const { tag = parseImageReference(image.reference)?.tag ?? 'latest' } = push;
  const target = repository === undefined ? undefined : parseImageReference(repository);
  if (repository === undefined || !target) return failed({ code: 'noRepository' });
  if (!isTag(tag)) return failed({ code: 'invalidTag', tag });
  const name = `${imageName(target)}:${tag}`;
  try {
    await tagImage(engine, image.id, { repo: imageName(target), tag }, signal);
    const before = await inspectImage(engine, name, signal);
    const transfer = { image: name, onOutput, signal };
    let end = await runTransfer(builder, 'push', transfer);
    // Podman compresses layers while it pushes them, and learns the digest of the result only when it pulls the image.
    if (end.kind === 'done' && engine.name === 'Podman') end = await runTransfer(builder, 'pull', transfer);
    if (end.kind === 'canceled') return failed({ code: 'canceled' });
    if (end.kind === 'failed') return failed(failureOf(end.reason, target, builder));
    const digest = await registryDigest(builder, { name, target, before }, signal);
    if (digest === undefined) return failed({ code: 'digestUnknown', reference: `${repository}:${tag}` });
    return { kind: 'pushed', reference: `${repository}:${tag}@${digest}`, digest };
  } catch (error) {
    if (signal.aborted) return failed({ code: 'canceled' });
    if (!(error instanceof EngineError)) throw error;
    return failed({ code: 'engineUnreachable', address: engine.route.address, reason: error.message });
  }
}

/** Returns the digest of the image in its repository: a new one, or the one of an earlier push of the same image. */
async function registryDigest(
  { engine }: Builder,
  { name, target, before }: { name: string; target: ImageReference; before: ImageInspect | undefined },
  signal: AbortSignal,
): Promise<string | undefined> {
  const after = await inspectImage(engine, name, signal);
  const [known, now] = [before, after].map((image) => (image ? digestsOf(image, target) : []));
  // Podman also lists the digest of its own copy, which no registry has unless it was pulled from one.
  const own = engine.name === 'Podman' ? await localDigest(engine, name, signal) : undefined;
  const others = (now ?? []).filter((digest) => digest !== own);
  return others.find((digest) => !known?.includes(digest)) ?? others[0] ?? now?.[0];
}

function failureOf(reason: string, { registry }: ImageReference, { program }: Builder): PushFailure {
  switch (registryFailure(reason)) {
    case 'denied':
    case 'unauthorized':
      return { code: 'credentials', registry, program, reason };
    case 'registryUnreachable':
      return { code: 'registryUnreachable', registry, reason };
    case 'registryFailing':
    case 'rateLimited':
      return { code: 'registryFailing', registry, reason };
    case 'noSpace':
      return { code: 'noSpace', reason };
    default:
      return { code: 'failed', reason };
  }
}
