import * as l10n from '@vscode/l10n';
import { foreign, joined, NO_TEXT, shown, type ShownText } from '../../text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import type { ProcessCommand, SentReference } from './trustDecision.ts';

/** Maximum length of the command in the question, in UTF-16 code units. It is high, because the user consents to this command. */
const LONGEST_COMMAND = 4_000;
/** Maximum number of names in a question. */
const MAX_NAMES = 50;

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
    ...(environment.length > 0 ? [shown`Environment variables: ${limited(environment)}`] : []),
    shown`Platform: ${new URL(baseUrl).host}`,
    NO_TEXT,
    shown`It runs without a container, with the permissions of the platform. The editor asks once per connection and workspace.`,
  ];
  return { message: shown`Run a command on the machine of “${name}”?`, detail: joined(lines, '\n') };
}

/** Returns the consent question for values of references, which names the values but does not contain them. */
export function valuesQuestion(
  { name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>,
  references: readonly SentReference[],
): { readonly message: ShownText; readonly detail: ShownText } {
  const listed = (label: string, kind: SentReference['kind']) => {
    const names = references.filter((one) => one.kind === kind).map((one) => one.name);
    return names.length > 0 ? [shown`${label}: ${limited(names)}`] : [];
  };
  const lines = [
    ...listed(l10n.t('Secrets'), 'secret'),
    ...listed(l10n.t('Environment variables'), 'env'),
    shown`Platform: ${new URL(baseUrl).host}`,
    NO_TEXT,
    shown`The endpoint keeps the values. The editor asks once per name, connection, and workspace.`,
  ];
  return { message: shown`Send ${kindsOf(references)} to “${name}”?`, detail: joined(lines, '\n') };
}

/** Lists names only, because a value can be a secret. */
function limited(names: readonly string[]): ShownText {
  const more = names.length - MAX_NAMES;
  return joined([...names.slice(0, MAX_NAMES), ...(more > 0 ? [l10n.t`and ${more} more`] : [])], ', ');
}

function kindsOf(references: readonly SentReference[]): string {
  const kinds = new Set(references.map(({ kind }) => kind));
  if (kinds.size > 1) return l10n.t('secrets and environment variables');
  return kinds.has('secret') ? l10n.t('secrets') : l10n.t('environment variables');
}
