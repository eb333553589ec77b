import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, type ContainerCommand } from '../../../../contract/containerCommand.ts';
import { variable } from '../../../../contract/environment.ts';
import { BUILD_DEFAULTS } from '../../../../contract/imageBuild.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';
import { fieldError, type FieldError, type Path } from '../../../../contract/violation.ts';
import { findProgramInImage } from '../../../../machine/engine/programFile.ts';
import { hasReference } from '../../../../account/secrets/envReferences.ts';
import { detectHandler } from '../../model/starters/detectHandler.ts';
import type { BuiltImage } from './buildImage.ts';

/* Checks a built image before it is pushed or deployed. Only facts are reported: what cannot be known here is left to the platform. */

/** A reason why workers would not run the image. */
export type ImageFinding = FieldError & { readonly severity: 'error' | 'warning' };

type Checked = Pick<Manifest, 'type' | 'args' | 'entrypoint' | 'cmd' | 'disk' | 'env' | 'x-build'>;

export interface ImageCheck {
  readonly image: BuiltImage;
  readonly manifest: Checked;
  /** Absolute path of the manifest's folder. */
  readonly folder: string;
}

/** Checks whether workers of an endpoint can run an image. @throws EngineError */
export async function checkImage({ image, manifest, folder }: ImageCheck): Promise<readonly ImageFinding[]> {
  const command = commandOf(manifest, image);
  return [
    ...platformFindings(image, manifest),
    ...sizeFindings(image, manifest),
    ...(command ? await programFindings(image, manifest, command) : []),
    ...portFindings(image, manifest),
    ...(command ? await typeFindings(manifest, folder, command) : []),
  ];
}

/** Returns the field of a finding, or `x-build` if the manifest does not set it. */
function at(manifest: Checked, ...field: readonly [keyof Checked, ...string[]]): Path {
  const value = field.reduce<unknown>(
    (parent, name) => (parent as Record<string, unknown> | undefined)?.[name],
    manifest,
  );
  return value === undefined ? ['x-build'] : field;
}

function platformFindings({ platform }: BuiltImage, manifest: Checked): ImageFinding[] {
  const { platform: wanted = BUILD_DEFAULTS.platform } = manifest['x-build'] ?? {};
  if (platform === wanted) return [];
  const error = fieldError(at(manifest, 'x-build', 'platform'), 'imageForOtherPlatform', { platform, wanted });
  return [{ ...error, severity: 'error' }];
}

/** The unit of disks. */
const GB = 1e9;

function sizeFindings({ sizeBytes }: BuiltImage, { disk }: Checked): ImageFinding[] {
  if (disk === undefined || sizeBytes <= disk * GB) return [];
  const sizeGb = Math.ceil(sizeBytes / (GB / 10)) / 10;
  return [{ ...fieldError(['disk'], 'imageLargerThanDisk', { sizeGb, diskGb: disk }), severity: 'error' }];
}

/** Returns the words that workers run. Undefined if `args` is not readable, which the manifest's own check reports. */
function commandOf(manifest: Checked, image: BuiltImage): readonly string[] | undefined {
  let written: ContainerCommand;
  try {
    written = parseArgs(manifest.args ?? '');
  } catch {
    return undefined;
  }
  const { entrypoint = written.entrypoint ?? [], cmd = written.cmd ?? [] } = manifest;
  // An entrypoint also replaces the command of the image.
  if (entrypoint.length > 0) return [...entrypoint, ...cmd];
  return [...image.entrypoint, ...(cmd.length > 0 ? cmd : image.cmd)];
}

async function programFindings(
  { id, builder, directory, variables }: BuiltImage,
  manifest: Checked,
  [program]: readonly string[],
): Promise<ImageFinding[]> {
  const [field = 'x-build'] = (['entrypoint', 'cmd', 'args'] as const).filter((one) => manifest[one] !== undefined);
  const finding = (error: FieldError): ImageFinding[] => [{ ...error, severity: 'error' }];
  if (program === undefined || program === '') return finding(fieldError([field], 'imageWithoutCommand', {}));
  const searched = variable(manifest.env ?? {}, 'PATH');
  // The value of a reference is not known here.
  if (searched !== undefined && hasReference(searched)) return [];
  const place = {
    program,
    directory,
    variables: [...variables, ...(searched === undefined ? [] : [`PATH=${searched}`])],
  };
  const found = await findProgramInImage(builder.engine, id, place);
  if (found.kind === 'found') return [];
  if (found.kind === 'missing') return finding(fieldError([field], 'imageProgramMissing', { program }));
  return finding(fieldError([field], 'imageProgramNotExecutable', { file: found.file }));
}

/** Compares the port of requests with those that the image exposes, if it exposes any. */
function portFindings({ exposedPorts }: BuiltImage, manifest: Checked): ImageFinding[] {
  const { name, default: standard } = ROUTE_ENVIRONMENT.port;
  const port = variable(manifest.env ?? {}, name) ?? standard;
  const exposed = exposedPorts.filter((one) => !one.endsWith('/udp')).map((one) => one.replace(/\/.*$/, ''));
  if (manifest.type !== 'LOAD_BALANCER' || exposed.length === 0 || exposed.includes(port) || hasReference(port))
    return [];
  return [{ ...fieldError(at(manifest, 'env', name), 'imagePortDiffers', { port, exposed }), severity: 'warning' }];
}

const SOURCE = /(?:^|[\s/])([\w.-]+\.(?:py|[cm]?js))(?=$|\s)/;

/** Compares the type of the endpoint with the worker that the command starts, if its source is in the context. */
async function typeFindings(manifest: Checked, folder: string, command: readonly string[]): Promise<ImageFinding[]> {
  const [, file] = SOURCE.exec(command.join(' ')) ?? [];
  if (file === undefined) return [];
  const { context = BUILD_DEFAULTS.context } = manifest['x-build'] ?? {};
  const text = await readFile(path.resolve(folder, context, file), 'utf8').catch(() => undefined);
  const handler = text === undefined ? undefined : detectHandler(file, text);
  const fits = handler && (handler.kind === 'queue') === (manifest.type === 'QUEUE');
  if (!handler || fits) return [];
  return [{ ...fieldError(['type'], 'imageForOtherType', { type: manifest.type, file }), severity: 'warning' }];
}
