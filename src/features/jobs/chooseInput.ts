import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { JobRequest } from '../../contract/job.ts';
import { askForText, pick, separator, type ShownItem, type Verdict } from '../../kit/quickInput.ts';
import { shown } from '../../text/shownText.ts';
import { findJobFiles, jobFileName, openNewJobFile, readJobFileFrom } from './jobFiles.ts';
import { inputWarning, isWholeBody, preview, readTypedInput } from './model/jobInput.ts';

/** A body to send, and the address of the job file that it comes from. */
export interface ChosenInput {
  readonly body: JobRequest;
  readonly file?: string;
}

interface InputItem extends ShownItem {
  readonly take?: () => Promise<ChosenInput | undefined>;
}

/** Asks for an input: the last one, a job file, or a new one. Resolves with undefined if the user cancels or creates a job file. */
export async function chooseInput(
  endpointName: string,
  last: JobRequest | undefined,
): Promise<ChosenInput | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  const files = (await findJobFiles()).map((uri) => fileItem(uri, uri.toString() === active));
  const again: InputItem[] = last
    ? [{ label: shown`$(history) Last Input`, description: preview(last), take: () => Promise.resolve({ body: last }) }]
    : [];
  const write: InputItem[] = [
    {
      label: shown`$(edit) Write Input…`,
      description: l10n.t('one line of JSON'),
      alwaysShow: true,
      take: () => askForInput(endpointName, last).then((body) => body && { body }),
    },
    {
      label: shown`$(new-file) New Job File…`,
      description: l10n.t('for longer or reusable inputs'),
      alwaysShow: true,
      take: () => openNewJobFile(last).then(() => undefined),
    },
  ];
  const items: InputItem[] = [
    ...again,
    ...(files.length > 0 ? [separator(l10n.t('job files')), ...files] : []),
    separator(l10n.t('new input')),
    ...write,
  ];
  const chosen = await pick(items, {
    title: shown`Run Job on “${endpointName}”`,
    placeholder: l10n.t('Input of the job'),
  });
  return chosen?.take?.();
}

function fileItem(uri: vscode.Uri, isActive: boolean): InputItem {
  const folder = path.posix.dirname(vscode.workspace.asRelativePath(uri));
  const description = [isActive ? l10n.t('active editor') : '', folder === '.' ? '' : folder]
    .filter((part) => part !== '')
    .join(' · ');
  return {
    label: shown`$(json) ${jobFileName(uri)}`,
    description,
    take: () => readJobFileFrom(uri).then(({ body }) => ({ body, file: uri.toString() })),
  };
}

async function askForInput(endpointName: string, last: JobRequest | undefined): Promise<JobRequest | undefined> {
  const before = last ? preview(last, Number.POSITIVE_INFINITY) : '{"prompt": "hello"}';
  const text = await askForText({
    title: shown`Run Job on “${endpointName}”`,
    prompt: l10n.t('Job input, as JSON'),
    value: before,
    // Selects the text inside the outer braces, so that typing replaces it.
    valueSelection: before.startsWith('{') ? [1, before.length - 1] : [0, before.length],
    ignoreFocusOut: true,
    validate,
  });
  return text === undefined ? undefined : readTypedInput(text).body;
}

function validate(text: string): Verdict {
  const { body, problem } = readTypedInput(text);
  if (problem !== undefined) return problem;
  const warning = inputWarning(body);
  if (warning !== undefined) return { message: warning, severity: vscode.InputBoxValidationSeverity.Warning };
  return isWholeBody(text)
    ? {
        message: l10n.t('This text already has an "input" and is sent as is.'),
        severity: vscode.InputBoxValidationSeverity.Info,
      }
    : undefined;
}
