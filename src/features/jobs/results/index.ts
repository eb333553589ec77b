import * as vscode from 'vscode';
import { LocalFiles } from '../../../account/sourceLinks/localFiles.ts';
import type { JobServices } from '../jobServices.ts';
import { JOB_SCHEME } from '../model/jobNames.ts';
import { ResultLenses } from './resultLenses.ts';
import { followStreamEnds } from './showJobDocument.ts';
import { TracebackLinks } from './tracebackLinks.ts';

/** Registers the documents of jobs: results, errors, streams, and images. */
export function registerResults({ documents, requests, clock }: JobServices): vscode.Disposable {
  const selector: vscode.DocumentSelector = { scheme: JOB_SCHEME };
  return vscode.Disposable.from(
    documents.register(),
    vscode.languages.registerCodeLensProvider(selector, new ResultLenses(documents, requests)),
    vscode.languages.registerDocumentLinkProvider(selector, new TracebackLinks(documents, new LocalFiles(clock))),
    followStreamEnds(),
  );
}
