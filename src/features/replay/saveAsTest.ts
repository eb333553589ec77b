import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { JOB_FILE_SUFFIX } from '../../contract/jobFile.ts';
import { pick } from '../../kit/quickInput.ts';
import { UserError } from '../../kit/userError.ts';
import { fileStem } from '../../text/fileNames.ts';
import { requestOfSubject } from './actions/replaySubject.ts';
import type { FoundSubject } from './findSubject.ts';
import { testFileText, type TestExpects } from './model/testFile.ts';

/** Asks what the test expects and where it is saved, and opens it. The Test Explorer finds it there. */
export async function saveAsTest({ subject, folder }: FoundSubject): Promise<void> {
  const { recorded } = subject;
  const expects = await chooseEnd(recorded.result.status);
  if (expects === undefined) return;
  const { input } = await requestOfSubject(subject, new Map());
  const base = folder ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = `${fileStem(recorded.endpoint, 'job')}-replay${JOB_FILE_SUFFIX}`;
  const target = await vscode.window.showSaveDialog({
    title: l10n.t('Save as Test'),
    ...(base && { defaultUri: vscode.Uri.joinPath(base, file) }),
  });
  if (!target) return;
  if (!target.path.endsWith(JOB_FILE_SUFFIX)) throw new UserError(l10n.t`a job file ends with “${JOB_FILE_SUFFIX}”`);
  await vscode.workspace.fs.writeFile(target, Buffer.from(testFileText(recorded, input, expects)));
  await vscode.window.showTextDocument(target, { preview: false });
}

async function chooseEnd(status: string): Promise<TestExpects | undefined> {
  if (status === 'COMPLETED') return 'recorded';
  const items = [
    {
      label: l10n.t('The Job Is Completed'),
      description: l10n.t('the test fails until the worker is fixed'),
      expects: 'success' as const,
    },
    {
      label: l10n.t('The Job Ends With This Error'),
      description: l10n.t('for an input that must be refused'),
      expects: 'recorded' as const,
    },
  ];
  return (await pick(items, { title: l10n.t('Save as Test'), placeholder: l10n.t('Expectation of the test') }))
    ?.expects;
}
