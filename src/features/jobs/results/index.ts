import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { registerCommand } from '../../../kit/commands.ts';
import { LocalFiles } from '../../../account/sourceLinks/localFiles.ts';
import type { JobServices } from '../jobServices.ts';
import { JOB_SCHEME } from './jobAddress.ts';
import { openImages } from './openImages.ts';
import { ResultLenses } from './resultLenses.ts';
import { saveOutput } from './saveOutput.ts';
import { followStreamEnds } from './showJobDocument.ts';
import { TracebackLinks } from './tracebackLinks.ts';

/** Registers the documents of jobs: results, errors, streams, and images. */
export function registerResults({ documents, requests, log, clock }: JobServices): vscode.Disposable {
  const selector: vscode.DocumentSelector = { scheme: JOB_SCHEME };
  return vscode.Disposable.from(
    documents.register(),
    vscode.languages.registerCodeLensProvider(selector, new ResultLenses(documents, requests)),
    vscode.languages.registerDocumentLinkProvider(selector, new TracebackLinks(documents, new LocalFiles(clock))),
    followStreamEnds(),
    registerCommand(log, 'cloudCompute.jobs.saveOutput', l10n.t('Could not save the output'), (argument) =>
      saveOutput(documents, argument),
    ),
    registerCommand(log, 'cloudCompute.jobs.openImages', l10n.t('Could not open the image'), (argument, index) =>
      openImages(documents, argument, index),
    ),
  );
}
