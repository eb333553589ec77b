import * as l10n from '@vscode/l10n';
import { fileNameProblem } from '../starters/fileNames.ts';

/** Returns the reason why a text cannot name a new worker, its folder, and its endpoint. Undefined if it can. */
export function workerNameProblem(name: string): string | undefined {
  if (name === '') return l10n.t('Enter a name.');
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u.test(name))
    return l10n.t('Use letters, digits, hyphens, and underscores, and begin with a letter or a digit.');
  return name.length > MAX_LENGTH ? l10n.t`Use at most ${MAX_LENGTH} characters.` : fileNameProblem(name);
}

const MAX_LENGTH = 60;
