import * as l10n from '@vscode/l10n';
import { type ManifestEdit, isFields, type Fields } from '../editing/editedValue.ts';
import {
  listAt,
  removal,
  removals,
  stringsAt,
  possible,
  preferred,
  set,
  type Fixer,
  type Fixers,
  removing,
  choosing,
} from './fix.ts';

/* Corrections of mounted volumes. */

const LISTED = ['networkVolumes'];
const NETWORK = ['mounts', 'network'];
const GLOBAL = ['mounts', 'global'];

const deprecatedField: Fixer<'deprecatedField'> = ({ path, manifest }, { instead }) =>
  // Beside a global volume, the network volumes are a violation with its own corrections.
  path[0] === LISTED[0] && instead === NETWORK.join('.') && listAt(manifest, GLOBAL).length === 0
    ? [preferred(l10n.t`Move to ${instead}`, ...moveToMounts(manifest))]
    : [];

const networkVolumesWithMounts: Fixer<'networkVolumesWithMounts'> = ({ manifest }) => [
  preferred(l10n.t('Move to mounts.network'), ...moveToMounts(manifest)),
  possible(l10n.t("Remove 'networkVolumes'"), removal(manifest, LISTED)),
];

const networkVolumesWithGlobalMount: Fixer<'networkVolumesWithGlobalMount'> = ({ manifest }) => [
  possible(l10n.t('Keep the global volume'), removal(manifest, LISTED)),
  possible(l10n.t('Keep the network volumes'), ...moveToMounts(manifest), removal(manifest, GLOBAL)),
];

const secondGlobalVolume: Fixer<'secondGlobalVolume'> = ({ manifest }, { mounted }) => {
  const mounts = listAt(manifest, GLOBAL);
  return mounted.map((volumeId, index) => {
    const title = l10n.t`Keep only the volume '${volumeId}'`;
    const edit = set(GLOBAL, [mounts[index]]);
    return index === 0 ? preferred(title, edit) : possible(title, edit);
  });
};

const repeatedVolume: Fixer<'repeatedVolume'> = ({ path, manifest }, { volumeId }) => {
  const item = path.at(-1) === 'volumeId' ? path.slice(0, -1) : path;
  return [preferred(l10n.t`Remove the second '${volumeId}'`, removal(manifest, item))];
};

/** Mounts the volumes of `networkVolumes` that are not mounted yet, and removes the deprecated field. */
function moveToMounts(manifest: Fields): ManifestEdit[] {
  const mounts = [...listAt(manifest, NETWORK)];
  const first = mounts.length;
  for (const volumeId of stringsAt(manifest, LISTED))
    if (!mounts.some((mount) => isFields(mount) && mount['volumeId'] === volumeId))
      mounts.push({ volumeId, path: freePath(mounts) });
  const added = mounts.slice(first).map((mount, index) => set([...NETWORK, first + index], mount));
  return [...added, ...removals(manifest, LISTED)];
}

/** Returns `/data`, or `/data-2` and so on if the path is in use. */
function freePath(mounts: readonly unknown[]): string {
  const used = mounts.map((mount) => (isFields(mount) ? mount['path'] : undefined));
  const path = (number: number) => (number === 1 ? '/data' : `/data-${number}`);
  let number = 1;
  while (used.includes(path(number))) number++;
  return path(number);
}

export const volumeFixes = {
  deprecatedField,
  networkVolumesWithMounts,
  networkVolumesWithGlobalMount,
  networkAndGlobalMounts: choosing(
    [l10n.t('Keep the network volumes'), GLOBAL],
    [l10n.t('Keep the global volume'), NETWORK],
  ),
  secondGlobalVolume,
  globalVolumeWithoutGpu: removing(l10n.t('Remove the global volumes')),
  repeatedVolume,
} satisfies Fixers;
