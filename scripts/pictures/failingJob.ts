import { chooseQuickPick, clickAction, row, waitForLine } from '../../test/e2e/actions.ts';
import type { Editor } from '../../test/e2e/harness.ts';
import type { Workload } from './workload.ts';

/** Runs a job that crashes its worker until the job fails. The worker then keeps crashing, because more jobs wait. */
export async function failJob(editor: Editor, workload: Workload): Promise<void> {
  await row(editor, /^thumbnails.*idle/).waitFor();
  await clickAction(row(editor, /^thumbnails/), 'Run Job…');
  await chooseQuickPick(editor, 'panorama.job.json');
  await waitForLine(editor, '"status": "FAILED"');
  await workload.queueMore();
  // After the next failed job, the worker pauses for more than half a minute between crashes. Explain needs such a pause.
  await row(editor, /^thumbnails.*unhealthy · [12] waiting/).waitFor();
}
