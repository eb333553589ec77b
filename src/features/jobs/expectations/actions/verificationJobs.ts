import * as l10n from '@vscode/l10n';
import type { VerificationJobs } from '../../../manifest/model/deployment/verificationTest.ts';
import { readJobFile } from '../../model/checkJobFile.ts';
import { lineAndColumn } from '../../model/jobInput.ts';
import { mismatchText, pathText } from '../../model/expectations/mismatch.ts';
import type { ReadText } from './checkOutputSchema.ts';
import { logLines, plainLine, readWorkerLogSince } from '../../actions/workerLogSince.ts';
import { runExpectation } from './runExpectation.ts';

/** Returns the jobs that verify deployments. They are job files, or have the form of one. */
export function verificationJobs(readText: ReadText): VerificationJobs {
  return {
    read: async (uri) => {
      let text: string;
      try {
        text = await readText(uri);
      } catch (error) {
        return { problem: (error as Error).message };
      }
      const read = readJobFile(text);
      if (read.file) return { file: read.file };
      const { line, column } = lineAndColumn(text, read.offset);
      return { problem: l10n.t`line ${line}, column ${column}: ${read.problem}` };
    },
    run: async (client, { id: endpointId, timeout }, { file, uri, limitMs, endsAt }, signal) => {
      const since = client.context.clock.now();
      const { job, mismatches } = await runExpectation(client, {
        ...{ endpointId, executionTimeout: timeout, file, source: { uri, readText }, limitMs, endsAt, signal },
      });
      const { id: jobId, workerId } = job;
      const differences = mismatches.map((one) => ({
        path: pathText(one.path),
        message: plainLine(mismatchText(one)),
      }));
      const needsLog = differences.length > 0 && workerId !== undefined;
      const log = needsLog ? await readWorkerLogSince(client, { endpointId, workerId, since, signal }) : [];
      return { jobId, workerIds: workerId === undefined ? [] : [workerId], differences, log: logLines(log) };
    },
  };
}
