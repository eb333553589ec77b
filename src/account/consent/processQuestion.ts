import * as l10n from '@vscode/l10n';
import { foreign, joined, NO_TEXT, shown, type ShownText } from '../../text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import type { ProcessCommand } from './trustDecision.ts';

/** Maximum length of the command in the question, in UTF-16 code units. It is high, because the user consents to this command. */
const LONGEST_COMMAND = 4_000;
const MAX_VARIABLES = 50;

/** Returns the consent question for a command that a platform runs on its own machine. */
export function processQuestion(
  { name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>,
  { directory, command, environment }: ProcessCommand,
): { readonly message: ShownText; readonly detail: ShownText } {
  const lines = [
    shown`Command: ${command === '' ? l10n.t('the endpoint’s own command') : foreign(command, LONGEST_COMMAND)}`,
    ...(command.length > LONGEST_COMMAND
      ? [shown`Shortened from ${command.length.toLocaleString('en-US')} characters.`]
      : []),
    shown`Directory: ${directory}`,
    ...(environment.length > 0 ? [shown`Environment variables: ${names(environment)}`] : []),
    shown`Platform: ${new URL(baseUrl).host}`,
    NO_TEXT,
    shown`It runs without a container, with the permissions of the platform. The editor asks once per connection and workspace.`,
  ];
  return { message: shown`Run a command on the machine of “${name}”?`, detail: joined(lines, '\n') };
}

/** Lists names only, because a value can be a secret. */
function names(environment: readonly string[]): ShownText {
  const more = environment.length - MAX_VARIABLES;
  return joined([...environment.slice(0, MAX_VARIABLES), ...(more > 0 ? [l10n.t`and ${more} more`] : [])], ', ');
}
