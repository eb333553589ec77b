import * as l10n from '@vscode/l10n';
import { explain } from '../../../../kit/explain.ts';
import { joined, shown, type Showable, type ShownText } from '../../../../text/shownText.ts';
import type { Obstacle, Step, StepSource, UnreadableReason } from './deploymentPlan.ts';

/* Texts of a deployment plan. */

/** The reason why a part cannot be deployed, and the action that resolves it. */
export interface Explained {
  readonly reason: ShownText;
  readonly remedy: Showable;
}

const unreadableWords: Readonly<Record<UnreadableReason, Explained>> = {
  folder: { reason: shown`This is a folder with the name of a manifest.`, remedy: l10n.t('Rename the folder.') },
  tooLarge: { reason: shown`The file is larger than any manifest.`, remedy: l10n.t('Rename the file, or shorten it.') },
  notText: { reason: shown`The file is not text.`, remedy: l10n.t('Save the file as UTF-8 text.') },
  unreadable: { reason: shown`The file cannot be read.`, remedy: l10n.t('Check the permissions of the file.') },
};

/** Names a step in a list. */
export function stepWords({ kind, name }: Pick<Step, 'kind' | 'name'>): ShownText {
  switch (kind) {
    case 'create':
      return shown`create “${name}”`;
    case 'update':
      return shown`update “${name}”`;
    case 'delete':
      return shown`delete “${name}”`;
  }
}

export function explainObstacle(obstacle: Obstacle): Explained {
  switch (obstacle.kind) {
    case 'unreadable':
      return unreadableWords[obstacle.reason];
    case 'invalid': {
      const { problem, line, more } = obstacle;
      const others = more > 0 ? l10n.t` (and ${more} more)` : '';
      return { reason: shown`Line ${line}: ${problem.message}${others}.`, remedy: l10n.t('Correct the manifest.') };
    }
    case 'environment': {
      const { chosen, known } = obstacle;
      return {
        reason:
          chosen === undefined
            ? shown`The manifest has environments (${joined(known, ', ')}), and none is chosen.`
            : shown`The manifest has no environment ${chosen}. It has ${joined(known, ', ')}.`,
        remedy: l10n.t('Choose one of its environments, or add the environment to x-environments.'),
      };
    }
    case 'noFolder':
      return {
        reason: shown`x-local.directory is relative, but the file has no folder on this machine.`,
        remedy: l10n.t('Use an absolute path.'),
      };
    case 'testFile':
      return obstacle.field === 'job'
        ? {
            reason: shown`The job of x-verify cannot be used: ${obstacle.reason}.`,
            remedy: l10n.t('Correct the job file, or its path.'),
          }
        : {
            reason: shown`The requests of x-verify cannot be used: ${obstacle.reason}.`,
            remedy: l10n.t('Correct the request file, or its path.'),
          };
    case 'unresolved':
      return {
        reason: shown`No value is available for ${joined(obstacle.variables, ', ')} in env.`,
        remedy: l10n.t('Define each value, or remove the variable.'),
      };
    case 'gate':
      return {
        reason:
          obstacle.state === 'failed'
            ? shown`The gate of x-gate failed for this content.`
            : shown`The gate of x-gate has not run for exactly this content.`,
        remedy: l10n.t('Run “Run Gate” in the file.'),
      };
    case 'refused':
      return {
        reason: shown`The endpoint cannot be changed in this way: ${joined(obstacle.reasons, '; ')}.`,
        remedy: l10n.t('Restore the setting, or use another name, which creates a new endpoint.'),
      };
    case 'ambiguous':
      return {
        reason: shown`${obstacle.endpointIds.length} endpoints have this name.`,
        remedy: l10n.t('Run “Link to Endpoint…” in the file.'),
      };
    case 'conflict':
      return {
        reason: shown`The same endpoint is also in ${joined(obstacle.others.map(placeOf), ', ')}.`,
        remedy: l10n.t('Give each endpoint its own name, or remove one manifest.'),
      };
    case 'notCompared':
      return {
        reason: explain(obstacle.error, l10n.t('Could not read the template')),
        remedy: l10n.t('Run “Deploy All…” again.'),
      };
  }
}

/** Returns the file of a step, with the position of the endpoint if the file has several. */
export function placeOf({ fileName, part, names }: Pick<StepSource, 'fileName' | 'part' | 'names'>): ShownText {
  return names.length > 1 ? shown`${fileName} (endpoint ${part + 1})` : shown`${fileName}`;
}

/** Returns counts such as `3 created, 1 failed`. Omits zeros. */
export function countWords(counts: readonly (readonly [number, string])[]): string {
  return counts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(', ');
}
