import * as l10n from '@vscode/l10n';
import { MAX_RUN_SYNC_BYTES } from '../../../contract/job.ts';
import { showError } from '../../../kit/errors.ts';
import type { Log } from '../../../kit/log.ts';
import { showMessage } from '../../../kit/messages.ts';
import { dataSize } from '../../../text/quantities.ts';
import { shown } from '../../../text/shownText.ts';
import type { SizeProblem } from '../model/requestSize.ts';

const RUN_AND_WAIT = l10n.t('Run and Wait');

/** Shows that a request is too large to be sent, and offers the kind of request with a higher limit if that is enough. */
export function showTooLarge(
  { bytes, limit }: SizeProblem,
  kind: 'run' | 'runSync',
  log: Log,
  runAndWait: () => Promise<void>,
): void {
  const message = shown`The request has ${dataSize(bytes)}, and the platform accepts at most ${dataSize(limit)}.`;
  if (kind === 'runSync' || bytes > MAX_RUN_SYNC_BYTES) {
    void showMessage('error', shown`${message} Store the data elsewhere, and send its address.`);
    return;
  }
  const remedy = shown`${message} “${RUN_AND_WAIT}” accepts up to ${dataSize(MAX_RUN_SYNC_BYTES)}.`;
  void showMessage('error', remedy, RUN_AND_WAIT).then((chosen) => {
    if (chosen === RUN_AND_WAIT)
      void runAndWait().catch((error: unknown) => showError(log, error, l10n.t('Could not run the job')));
  });
}
