import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FieldError } from '../../../contract/violation.ts';
import type { CommandId } from '../../../kit/commandIds.ts';
import { joined, shown } from '../../../text/shownText.ts';
import { referenceText } from '../../../account/secrets/envReferences.ts';
import type { UnresolvedReferencesError } from '../actions/resolveBody.ts';
import { UserError } from '../../../kit/userError.ts';
import { fileName } from '../manifestFiles.ts';
import type { ManifestProblem } from '../model/problem.ts';
import { rangeOf } from '../../../kit/problems.ts';
import type { ManifestModels } from './manifestModels.ts';

/** Error for a relative `x-local.directory` in a manifest without a folder on this machine. */
export function noFolder({ uri }: vscode.TextDocument): UserError {
  return new UserError(
    shown`x-local.directory in ${fileName(uri)} is relative, but the file has no folder on this machine; use an absolute path`,
  );
}

/** Selects the first error in the editor and returns a `UserError` that describes it. Its button runs the command again. */
export async function refusal(
  document: vscode.TextDocument,
  problems: readonly ManifestProblem[],
  command: CommandId,
): Promise<UserError> {
  const first = problems.find(({ severity }) => severity === 'error');
  if (!first) return new UserError(shown`${fileName(document.uri)} is not a manifest`);
  const range = rangeOf(document, first);
  await vscode.window.showTextDocument(document, { selection: range });
  const more = problems.filter(({ severity }) => severity === 'error').length - 1;
  const others = more > 0 ? l10n.t` (and ${more} more in the Problems view)` : '';
  return new UserError(shown`${fileName(document.uri)}, line ${range.start.line + 1}: ${first.message}${others}`, {
    label: l10n.t('Try Again'),
    command,
  });
}

/** Shows violations as problems of a part, and returns a `UserError` that describes the first one. */
export async function refusalOf(
  models: ManifestModels,
  {
    document,
    part,
    command,
  }: { readonly document: vscode.TextDocument; readonly part: number; readonly command: CommandId },
  violations: readonly FieldError[],
): Promise<UserError> {
  const { parts, problems } = await models.report(document, part, violations);
  return refusal(document, parts[part]?.problems ?? problems, command);
}

/** Maximum number of references that one message names. */
const MAX_NAMES = 5;

/** Returns the error for references without a value. Its button adds the first missing secret. */
export function unresolved({ references }: UnresolvedReferencesError): UserError {
  const more = references.length - MAX_NAMES;
  const names = [
    ...references.slice(0, MAX_NAMES).map(referenceText),
    ...(more > 0 ? [l10n.t`${more.toLocaleString('en-US')} more references`] : []),
  ];
  const secret = references.find(({ kind }) => kind === 'secret');
  return new UserError(
    references.length > 1 ? shown`${joined(names, ', ')} have no value` : shown`${joined(names, ', ')} has no value`,
    secret && { label: l10n.t('Add Secret'), command: 'cloudCompute.secrets.add', argument: secret.name },
  );
}
