import type { HardwareOffer } from '../../../../account/hardware/hardwareOffers.ts';
import type { TextChange } from '../../../../text/span.ts';
import { changesOf } from '../editing/changesOf.ts';
import { isFields, valueAt, type Fields, type ManifestEdit } from '../editing/editedValue.ts';
import { removals, set, stringsAt } from '../fixes/fix.ts';
import type { ManifestFile } from '../manifestFile.ts';
import { patchEdit } from '../patched/patchEdits.ts';
import { manifestIn } from '../patched/environmentsOf.ts';
import { valueOfTree } from '../text/node.ts';

/** Hardware that a manifest gets. */
export type ChosenOffer = Pick<HardwareOffer, 'kind' | 'id' | 'count' | 'typeIds'>;

/**
 * Returns the changes of the text that give an endpoint hardware. They affect the environment if its patch has the hardware, and the
 * manifest itself otherwise. Undefined if the text cannot be edited.
 *
 * @param chosen offers of one kind, in the order of preference
 */
export function hardwareChanges(
  { text, language, parts }: Pick<ManifestFile, 'text' | 'language' | 'parts'>,
  index: number,
  chosen: readonly ChosenOffer[],
): readonly TextChange[] | undefined {
  const part = parts[index];
  const { root, environment } = part ?? {};
  const patch = valueOfTree(environment?.patch);
  if (environment && isFields(patch) && (patch['gpu'] !== undefined || patch['cpu'] !== undefined)) {
    const edit = patchEdit(root, environment, hardwareEdits(fieldsOf(manifestIn(environment, root)), chosen));
    return edit && changesOf({ text, language, root }, [edit]);
  }
  return changesOf({ text, language, root }, hardwareEdits(fieldsOf(root), chosen));
}

function fieldsOf(root: Parameters<typeof valueOfTree>[0]): Fields {
  const value = valueOfTree(root);
  return isFields(value) ? value : {};
}

/** Returns the edits that give a manifest hardware. Exclusions of GPU types outside the pools go, because they would be errors. */
export function hardwareEdits(manifest: Fields, chosen: readonly ChosenOffer[]): readonly ManifestEdit[] {
  if (chosen[0]?.kind === 'cpu') {
    const cpus = chosen.map(({ id, count }) => ({ id, vcpuCount: count }));
    return [set(['cpu'], cpus), ...removals(manifest, ['gpu'])];
  }
  const pools = chosen.map(({ id }) => id);
  const gpu = isFields(manifest['gpu']) ? set(['gpu', 'pools'], pools) : set(['gpu'], { pools });
  return [gpu, ...exclusionEdits(manifest, chosen), ...removals(manifest, ['cpu'])];
}

const EXCLUDED = ['gpu', 'excludedTypes'];

function exclusionEdits(manifest: Fields, chosen: readonly ChosenOffer[]): readonly ManifestEdit[] {
  if (valueAt(manifest, EXCLUDED) === undefined) return [];
  const excluded = stringsAt(manifest, EXCLUDED);
  const kept = excluded.filter((id) => chosen.some(({ typeIds }) => typeIds.includes(id.trim())));
  if (kept.length === 0) return removals(manifest, EXCLUDED);
  return kept.length < excluded.length ? [set(EXCLUDED, kept)] : [];
}
