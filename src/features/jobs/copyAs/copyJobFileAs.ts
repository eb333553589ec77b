import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { callUrl } from '../../../client/request.ts';
import { operations } from '../../../contract/operations.ts';
import { MAX_WAIT_MS, MIN_WAIT_MS } from '../../../contract/job.ts';
import { showStatusBarMessage } from '../../../kit/messages.ts';
import { pick } from '../../../kit/quickInput.ts';
import { shown } from '../../../text/shownText.ts';
import { UserError } from '../../../kit/userError.ts';
import { requireConnection } from '../../../account/connections/requireConnection.ts';
import type { EndpointSnapshot } from '../../../account/endpoints/endpointSnapshot.ts';
import { dataSize } from '../../../text/quantities.ts';
import { CODE_LANGUAGES, CODE_NAMES } from '../../../account/requestCode/requestCode.ts';
import type { JobServices } from '../jobServices.ts';
import { endpointOfFile } from '../chooseEndpoint.ts';
import { readOpenJobFile } from '../jobFiles.ts';
import { sizeProblem, type RunKind } from '../model/requestSize.ts';

const kinds: Readonly<Record<RunKind, string>> = { run: l10n.t('Run'), runSync: l10n.t('Run and Wait') };
const CONFIRMATION_MS = 5_000;

/** Copies the request of a job file as code. */
export async function copyJobFileAs(services: JobServices, uri: vscode.Uri): Promise<void> {
  const { client } = requireConnection(services.connections);
  const { file, body } = await readOpenJobFile(uri, 'cloudCompute.copyAs');
  const endpoint = await endpointOfFile(services, { uri, endpoint: file.endpoint });
  if (!endpoint) return;
  const items = CODE_LANGUAGES.flatMap((language) =>
    (Object.keys(kinds) as RunKind[]).map((kind) => ({
      label: `${CODE_NAMES[language]}: ${kinds[kind]}`,
      language,
      sentAs: kind,
    })),
  );
  const chosen = await pick(items, {
    title: l10n.t('Copy Job Request As'),
    placeholder: l10n.t('Language of the code'),
  });
  if (!chosen) return;
  const { language, sentAs: kind } = chosen;
  const problem = sizeProblem(body, kind);
  if (problem)
    throw new UserError(
      shown`the request has ${dataSize(problem.bytes)}, and “${kinds[kind]}” accepts at most ${dataSize(problem.limit)}`,
    );
  const { jobRequestCode } = await import('../../../account/requestCode/jobRequestCode.ts');
  const url = urlOf(client.context, endpoint, kind);
  await vscode.env.clipboard.writeText(jobRequestCode(language, url, body));
  showStatusBarMessage(shown`$(check) Request copied as ${CODE_NAMES[language]}`, CONFIRMATION_MS);
}

type Context = Parameters<typeof callUrl>[2];

function urlOf(context: Context, { endpoint: { id, timeout } }: EndpointSnapshot, kind: RunKind): string {
  const parameters = { endpointId: id };
  if (kind === 'run') return callUrl('runJob', operations.runJob, context, { parameters }).href;
  const query = { wait: Math.min(Math.max(timeout, MIN_WAIT_MS), MAX_WAIT_MS) };
  return callUrl('runJobSync', operations.runJobSync, context, { parameters, query }).href;
}
