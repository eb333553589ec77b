import * as l10n from '@vscode/l10n';
import type { CommandId } from '../../../kit/commandIds.ts';
import type { LensOptions } from '../../../kit/marks.ts';
import { shown, type ShownText } from '../../../text/shownText.ts';
import { LOCAL_NAME } from '../../../account/connections/connectionDocument.ts';

/* The actions above a job file. */

/** The current connection, as far as the actions depend on it. */
export interface LensConnections {
  readonly client: unknown;
  readonly profile: { readonly kind: 'local' | 'hosted'; readonly name: string } | undefined;
}

const commands = {
  run: 'cloudCompute.jobs.run',
  runAndWait: 'cloudCompute.jobs.runAndWait',
  load: 'cloudCompute.load.run',
  openForm: 'cloudCompute.jobs.openForm',
  copyAs: 'cloudCompute.copyAs',
  start: 'cloudCompute.localPlatform.start',
  signIn: 'cloudCompute.connections.replaceKey',
} as const satisfies Record<string, CommandId>;

/**
 * Returns the actions of a job file.
 *
 * @param file URI of the file, the argument of the commands
 * @param hasForm whether the input has a schema
 */
export function jobLenses(
  { client, profile }: LensConnections,
  file: unknown,
  hasForm = false,
): readonly LensOptions[] {
  const onFile = { arguments: [file] };
  const form: readonly LensOptions[] = hasForm
    ? [
        {
          title: l10n.t('Edit in Form'),
          tooltip: l10n.t('Shows a form for the input beside this file. Both stay in sync'),
          command: commands.openForm,
          ...onFile,
        },
      ]
    : [];
  if (client === undefined || !profile) return [connectLens(profile), ...form];
  const place = placeWords(profile);
  return [
    {
      title: shown`$(play) Run on ${place}`,
      tooltip: shown`Sends this file, including unsaved changes, to “${profile.name}”, and follows the job`,
      command: commands.run,
      ...onFile,
    },
    {
      title: shown`Run and Wait on ${place}`,
      tooltip: shown`Sends this file, including unsaved changes, to “${profile.name}”, and waits for the result in one request`,
      command: commands.runAndWait,
      ...onFile,
    },
    ...form,
    {
      title: l10n.t('Load Test…'),
      tooltip: l10n.t('Runs this job many times at a rate, and reports percentiles and costs'),
      command: commands.load,
      ...onFile,
    },
    {
      title: l10n.t('Copy as…'),
      tooltip: l10n.t('Copies the request as cURL, Python, or JavaScript, without the key'),
      command: commands.copyAs,
      ...onFile,
    },
  ];
}

/** Names a connection. A hosted one, which costs money, has an icon and a word. */
function placeWords({ kind, name }: NonNullable<LensConnections['profile']>): ShownText {
  return kind === 'hosted' ? shown`$(cloud) ${name} (hosted)` : shown`${name}`;
}

function connectLens(profile: LensConnections['profile']): LensOptions {
  if (profile?.kind === 'hosted')
    return {
      title: shown`$(lock) Sign In to ${placeWords(profile)} to Run`,
      tooltip: shown`You are signed out of “${profile.name}”`,
      command: commands.signIn,
    };
  return {
    title: shown`$(play) Start ${profile?.name ?? LOCAL_NAME} to Run`,
    tooltip: l10n.t('Starts the platform on this machine, which runs jobs without an account'),
    command: commands.start,
  };
}
