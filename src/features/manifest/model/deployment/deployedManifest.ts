import * as l10n from '@vscode/l10n';
import { WORKER_DEFAULTS } from '../../../../contract/endpointSettings.ts';
import type { Environment } from '../../../../contract/environment.ts';
import type { Manifest } from '../../../../contract/manifest.ts';
import { PROCESS_IMAGE_PREFIX } from '../../../../contract/processImage.ts';
import { ignoresIdleTimeout, type Comparison } from './compare.ts';
import { hasReference } from '../../../../account/secrets/envReferences.ts';
import type { Draft } from './difference.ts';
import type { ManifestEdit } from '../editing/editedValue.ts';
import { isDeepStrictEqual } from 'node:util';

/* The content of a manifest that describes its deployed endpoint. *Pull* writes it, and *Compare* shows it. */

/** Stands for a deployed value that the file does not contain, because the value can be a secret. */
const ANOTHER_VALUE = l10n.t('(another value)');

type Fields = Record<string, unknown>;

export interface DeployedForm {
  /** Kind of platform. On the local platform, the directory and the command of `x-local` replace the image. */
  readonly target: 'local' | 'hosted';
  /** Converts an absolute directory to the form of the manifest. */
  readonly directoryInFile: (directory: string) => string;
  /** Returns a deployed value as a text of `env`. Values that must not be shown become references. */
  readonly textOf: (value: string) => string;
  /**
   * `hide` replaces deployed values of variables with `ANOTHER_VALUE` if the file has a reference or lacks the variable. `keep` keeps the
   * references of the file.
   */
  readonly secrets: 'hide' | 'keep';
}

/**
 * Returns the value of a manifest with the deployed setting in place of each setting that differs. All other settings, and their form, stay
 * the same.
 */
export function deployedManifest(file: Manifest, comparison: Comparison, form: DeployedForm): Fields {
  const { deployed, wanted } = comparison;
  const differs = (field: keyof Manifest) => !isDeepStrictEqual(deployed[field], wanted[field]);
  // A template adds its settings to those of the file, so that the file cannot express a missing one.
  const replacesTemplate = file.templateId !== undefined && FROM_TEMPLATE.some(differs);
  const isWritten = (field: keyof Manifest) =>
    differs(field) || (replacesTemplate && FROM_TEMPLATE.includes(field) && deployed[field] !== undefined);

  const value: Fields = { ...file };
  if (replacesTemplate) delete value['templateId'];
  for (const field of SIMPLE) if (isWritten(field)) put(value, field, deployed[field] ?? REQUIRED[field]?.(file));
  for (const field of MAPS)
    if (isWritten(field)) put(value, field, mergedMap(file[field], deployed[field], wanted[field]));
  writeIdleTimeout(value, file, comparison);
  if (isWritten('env')) put(value, 'env', environmentOf(file, comparison, form));
  if (differs('mounts') || differs('networkVolumes')) {
    delete value['networkVolumes'];
    const { mounts, networkVolumes } = deployed;
    put(value, networkVolumes ? 'networkVolumes' : 'mounts', networkVolumes ?? mounts);
    if (networkVolumes) put(value, 'mounts', mounts);
  }
  writeProgram(value, file, comparison, { form, isWritten });
  if (differs('x-local')) writeLocalSettings(value, comparison);
  return value;
}

/** Settings that a template can supply. */
const FROM_TEMPLATE: readonly (keyof Manifest)[] = [
  ...(['image', 'args', 'entrypoint', 'cmd', 'disk', 'ports', 'env', 'registry'] as const),
];
const SIMPLE = ['name', 'type', 'disk', 'ports', 'registry', 'cpu', 'dataCenterIds', 'flashboot', 'timeout'] as const;
const MAPS = ['scaling', 'gpu', 'workers'] as const;
/** Fields that a manifest cannot omit. */
const REQUIRED: Partial<Record<keyof Manifest, (file: Manifest) => unknown>> = {
  name: ({ name }) => name,
  type: ({ type }) => type,
};
const COMMAND = ['args', 'entrypoint', 'cmd'] as const;

/** Sets a field, or removes it if the value is undefined. */
function put(value: Fields, field: string, member: unknown): void {
  if (member === undefined) Reflect.deleteProperty(value, field);
  else value[field] = member;
}

/** Returns the map of the file with the deployed members that differ from the wanted ones. */
function mergedMap(file: object | undefined, deployed: object | undefined, wanted: object | undefined): unknown {
  if (!deployed) return undefined;
  const [own, before, after] = [file ?? {}, deployed, wanted ?? {}] as Fields[];
  const value: Fields = { ...own };
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]))
    if (!isDeepStrictEqual(before?.[name], after?.[name])) put(value, name, before?.[name]);
  return Object.keys(value).length > 0 ? value : undefined;
}

/** Writes an idle timeout that the file does not need for its own scaling rule, but for the deployed one. */
function writeIdleTimeout(value: Fields, { workers }: Manifest, { deployed, wanted }: Comparison): void {
  const idleTimeout = deployed.workers?.idleTimeout;
  if (!ignoresIdleTimeout(wanted) || ignoresIdleTimeout(deployed) || idleTimeout === undefined) return;
  if (idleTimeout === (workers?.idleTimeout ?? WORKER_DEFAULTS.idleTimeout)) return;
  value['workers'] = { ...(value['workers'] as object | undefined), idleTimeout };
}

/** Returns the variables of the endpoint, in the order of the file. */
function environmentOf(
  { env: own = {} }: Manifest,
  { deployed, wanted }: Comparison,
  { textOf, secrets }: DeployedForm,
): Environment | undefined {
  const [before, after] = [deployed.env ?? {}, wanted.env ?? {}];
  const names = [...new Set([...Object.keys(own), ...Object.keys(before)])].filter((name) =>
    Object.hasOwn(before, name),
  );
  const entries = names.map((name): [string, string] => {
    const text = Object.hasOwn(own, name) ? own[name] : undefined;
    const value = before[name] ?? '';
    const agrees = Object.hasOwn(after, name) && after[name] === value;
    if (text !== undefined && agrees) return [name, text];
    const isLiteral = text !== undefined && !hasReference(text);
    if (isLiteral) return [name, textOf(value)];
    if (secrets === 'hide') return [name, ANOTHER_VALUE];
    return [name, text ?? textOf(value)];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Writes the settings that the local platform has received from `x-local`. Its other members stay. */
function writeLocalSettings(value: Fields, { deployed }: Comparison): void {
  const { gpu: _gpu, preload: _preload, ...others } = (value['x-local'] ?? {}) as NonNullable<Manifest['x-local']>;
  putMap(value, 'x-local', { ...others, ...deployed['x-local'] });
}

/** Sets a field, or removes it if the map is empty. */
function putMap(value: Fields, field: string, map: Fields): void {
  put(value, field, Object.keys(map).length > 0 ? map : undefined);
}

/** Writes the image and the command, to `x-local` if the file has them there and if `x-local` can express them. */
function writeProgram(
  value: Fields,
  { 'x-local': local }: Manifest,
  { deployed }: Comparison,
  { form, isWritten }: { readonly form: DeployedForm; readonly isWritten: (field: keyof Manifest) => boolean },
): void {
  const imageDiffers = isWritten('image');
  const commandDiffers = COMMAND.some(isWritten);
  if (!imageDiffers && !commandDiffers) return;
  const { image, args, entrypoint = [], cmd = [] } = deployed;
  if (local?.directory !== undefined && form.target === 'local') {
    const words = [...entrypoint, ...cmd];
    const command = args ?? (words.length > 0 ? words : undefined);
    if (image?.startsWith(PROCESS_IMAGE_PREFIX) === true && command !== undefined) {
      const directory = form.directoryInFile(image.slice(PROCESS_IMAGE_PREFIX.length));
      value['x-local'] = {
        ...local,
        directory: imageDiffers ? directory : local.directory,
        command: commandDiffers ? command : local.command,
      };
      return;
    }
    const { directory: _directory, command: _command, ...others } = local;
    putMap(value, 'x-local', others);
  } else if (!commandDiffers) {
    put(value, 'image', image ?? value['image']);
    return;
  }
  put(value, 'image', image ?? value['image']);
  for (const field of COMMAND) put(value, field, deployed[field]);
}

/** Returns the edits that turn the fields of a manifest into other ones. */
export function editsBetween(from: Readonly<Fields>, to: Readonly<Fields>): readonly ManifestEdit[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
    (name) => !isDeepStrictEqual(from[name], to[name]),
  );
  return names.map((name) =>
    Object.hasOwn(to, name)
      ? ({ kind: 'set', path: [name], value: to[name] } as const)
      : ({ kind: 'remove', path: [name] } as const),
  );
}

/** Returns the names of variables whose references stay in the file although the endpoint has other values. */
export function keptReferences({ env: own = {} }: Manifest, { deployed, wanted }: Comparison): string[] {
  const [before, after] = [deployed.env ?? {}, wanted.env ?? {}] as Draft['env'][] as [Environment, Environment];
  return Object.entries(own)
    .filter(([name, text]) => hasReference(text) && Object.hasOwn(before, name) && before[name] !== after[name])
    .map(([name]) => name);
}
