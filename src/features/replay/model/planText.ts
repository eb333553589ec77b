import * as l10n from '@vscode/l10n';
import { volumeDataSize, duration } from '../../../text/quantities.ts';
import type { PlanLine } from './replayPlan.ts';

/** Returns a line of a plan as a sentence. */
export function planText(line: PlanLine): string {
  switch (line.code) {
    case 'digest':
      return l10n.t`The image is the same: ${line.image}.`;
    case 'code':
      return l10n.t`The worker runs the code in ${line.directory}, as it is now.`;
    case 'environment':
      return line.count === 1
        ? l10n.t('1 environment variable has a value.')
        : l10n.t`${line.count} environment variables have values.`;
    case 'faults':
      return line.count === 1
        ? l10n.t('1 fault is active, as it was.')
        : l10n.t`${line.count} faults are active, as they were.`;
    case 'volume':
      return line.bytes === undefined
        ? l10n.t`The volume ${line.id} is copied.`
        : l10n.t`The volume ${line.id} is copied (${volumeDataSize(line.bytes)}).`;
    case 'clock':
      return l10n.t`The clock of the platform is ahead by ${duration(line.ms / 1000)}, as it was.`;
    case 'tag':
      return l10n.t`The image ${line.image} has no digest. Its tag may have moved.`;
    case 'codeInsteadOfImage':
      return l10n.t`The worker runs the code in ${line.directory} instead of the image ${line.image}.`;
    case 'release':
      return l10n.t`The endpoint has changed since: the job ran on release ${line.recorded}, and the newest is ${line.newest}.`;
    case 'emptyVolume':
      return l10n.t`The volume ${line.id} is not copied. The worker has an empty one.`;
    case 'volumeElsewhere':
      return l10n.t`The files of the volume ${line.id} are not on this machine. The worker has an empty one.`;
    case 'furtherVolumes':
      return l10n.t`A local worker mounts only one volume. These are not mounted: ${line.ids.join(', ')}.`;
    case 'clockBehind':
      return l10n.t`The clock of the platform was behind by ${duration(line.ms / 1000)}. The clock of the replay shows the present time.`;
    case 'unknownFaults':
      return line.count === 1
        ? l10n.t('1 fault is unknown to this version, and not active.')
        : l10n.t`${line.count} faults are unknown to this version, and not active.`;
    case 'gpus':
      return l10n.t('The worker has the GPUs of this machine, or none if it has none.');
    case 'registry':
      return l10n.t('The registry credential is not used. The image must be on this machine, or public.');
    case 'template':
      return l10n.t('The template of the manifest is not used.');
    case 'canceled':
      return l10n.t('The job was canceled. The replay runs it to its end.');
    case 'values':
      return line.names.length === 1
        ? l10n.t`1 environment variable needs a value: ${line.names.join(', ')}.`
        : l10n.t`${line.names.length} environment variables need values: ${line.names.join(', ')}.`;
    case 'secrets':
      return line.names.length === 1
        ? l10n.t`1 secret of the input needs a value: ${line.names.join(', ')}.`
        : l10n.t`${line.names.length} secrets of the input need values: ${line.names.join(', ')}.`;
    case 'directory':
      return l10n.t`The directory of the worker does not exist: ${line.directory}.`;
    case 'image':
      return l10n.t('The image of the worker is unknown.');
  }
}
