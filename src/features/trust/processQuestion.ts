import { foreign, joined, NO_TEXT, shown, type ShownText } from '../../vscode/text/shownText.ts';
import type { Profile } from '../connections/connectionStore.ts';
import type { ProcessCommand } from './trustDecision.ts';

/** A person who agrees must see what runs: a command is cut later than other texts, in UTF-16 code units. */
const LONGEST_COMMAND = 4_000;
const MOST_VARIABLES = 50;

/** What is asked before a command runs on the machine of a platform. */
export function processQuestion(
  { name, baseUrl }: Pick<Profile, 'name' | 'baseUrl'>,
  { directory, command, environment }: ProcessCommand,
): { readonly message: ShownText; readonly detail: ShownText } {
  const lines = [
    shown`Command: ${command === '' ? 'the one that the endpoint has' : foreign(command, LONGEST_COMMAND)}`,
    ...(command.length > LONGEST_COMMAND
      ? [shown`The command is longer than this: it has ${command.length.toLocaleString('en-US')} characters.`]
      : []),
    shown`Directory: ${directory}`,
    ...(environment.length > 0 ? [shown`Environment variables: ${names(environment)}`] : []),
    shown`Platform: ${new URL(baseUrl).host}`,
    NO_TEXT,
    shown`The command runs outside of any container, with the rights of that platform. This workspace does not ask again on this connection.`,
  ];
  return { message: shown`Run a command on the machine of the platform “${name}”?`, detail: joined(lines, '\n') };
}

/** Only names: a value can be a secret. */
function names(environment: readonly string[]): ShownText {
  const more = environment.length - MOST_VARIABLES;
  return joined([...environment.slice(0, MOST_VARIABLES), ...(more > 0 ? [`and ${more} more`] : [])], ', ');
}
