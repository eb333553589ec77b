import { isDeepStrictEqual } from 'node:util';
import { WORKER_DEFAULTS, type Scaling } from '../../../../contract/endpointSettings.ts';
import type { TextChange } from '../../../../text/span.ts';
import { changesOf } from './changesOf.ts';
import { isFields, valueAt, type Fields, type ManifestEdit } from './editedValue.ts';
import { removals, set } from '../fixes/fix.ts';
import { hardwareEdits, type ChosenOffer } from '../hardware/hardwareChanges.ts';
import type { ManifestFile } from '../manifestFile.ts';
import { manifestIn } from '../patched/environmentsOf.ts';
import { patchEdit } from '../patched/patchEdits.ts';
import { valueOfTree, type ManifestNode } from '../text/node.ts';

/** Settings of a manifest that decide how many workers it has. */
export interface ChosenScaling {
  readonly scaling: Scaling;
  readonly min: number;
  readonly max: number;
  /** In seconds. Undefined: the scaling rule ignores it. */
  readonly idleTimeout: number | undefined;
  readonly flashboot: string;
  /** Undefined: the hardware stays. */
  readonly hardware: ChosenOffer | undefined;
}

/**
 * Returns the changes of the text that give an endpoint other scaling. They affect the environment if its patch has one of the settings, and
 * the manifest itself otherwise. Undefined if the text cannot be edited.
 */
export function scalingChanges(
  { text, language, parts }: Pick<ManifestFile, 'text' | 'language' | 'parts'>,
  index: number,
  chosen: ChosenScaling,
): readonly TextChange[] | undefined {
  const { root, environment } = parts[index] ?? {};
  const patch = valueOfTree(environment?.patch);
  if (environment && isFields(patch) && FIELDS.some((field) => patch[field] !== undefined)) {
    const edit = patchEdit(root, environment, editsOf(fieldsOf(manifestIn(environment, root)), chosen));
    return edit && changesOf({ text, language, root }, [edit]);
  }
  return changesOf({ text, language, root }, editsOf(fieldsOf(root), chosen));
}

const FIELDS = ['scaling', 'workers', 'flashboot', 'gpu', 'cpu'];

function editsOf(
  manifest: Fields,
  { scaling, min, max, idleTimeout, flashboot, hardware }: ChosenScaling,
): readonly ManifestEdit[] {
  const worker = (name: keyof typeof WORKER_DEFAULTS, value: number) =>
    changed(manifest, ['workers', name], value, WORKER_DEFAULTS[name]);
  return [
    ...changed(manifest, ['scaling'], scaling, undefined),
    ...worker('min', min),
    ...worker('max', max),
    ...(idleTimeout === undefined
      ? removals(manifest, ['workers', 'idleTimeout'])
      : worker('idleTimeout', idleTimeout)),
    ...changed(manifest, ['flashboot'], flashboot, 'OFF'),
    ...(hardware ? hardwareEdits(manifest, [hardware]) : []),
  ];
}

/** A field that is missing has its default, and is not written for it. */
function changed(
  manifest: Fields,
  path: readonly string[],
  value: unknown,
  byDefault: unknown,
): readonly ManifestEdit[] {
  return isDeepStrictEqual(valueAt(manifest, path) ?? byDefault, value) ? [] : [set(path, value)];
}

function fieldsOf(root: ManifestNode | undefined): Fields {
  const value = valueOfTree(root);
  return isFields(value) ? value : {};
}
