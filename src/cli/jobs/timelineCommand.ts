import process from 'node:process';
import type { Client } from '../../client/client.ts';
import { readJobTrace } from '../../features/jobs/actions/readJobLife.ts';
import { lifeOfJob, lifeOfTrace, type JobLife } from '../../features/jobs/model/timeline/jobLife.ts';
import { timelineText } from '../../features/jobs/model/timeline/timelineText.ts';
import { endpointNamed } from '../connection/endpointNamed.ts';
import { withSession, type ConnectionOptions } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface TimelineFlags extends ConnectionOptions {
  /** Name or ID. */
  readonly endpoint: string;
  /** ID. */
  readonly job: string;
  readonly json?: boolean | undefined;
}

/** Number of columns if standard output is not a terminal. */
const DEFAULT_WIDTH = 100;

/** Prints the life of a job as a waterfall. With `json`, prints the trace of the platform, or the job if the platform records none. */
export function timelineCommand(flags: TimelineFlags, surroundings: Surroundings): Promise<number> {
  const { write, signal } = surroundings;
  return withSession(flags, surroundings, async (session) => {
    const { client } = session;
    const { id: endpointId, name } = await endpointNamed(session, flags.endpoint, signal);
    const { recorded, life } = await readLife(client, { endpointId, id: flags.job }, signal);
    if (flags.json) write(session.json(recorded));
    else {
      const width = process.stdout.isTTY ? process.stdout.columns : DEFAULT_WIDTH;
      write(session.hide(timelineText(life, { endpointName: name, width }).text));
    }
    return EXIT_CODES.done;
  });
}

interface ReadLife {
  /** The trace of the platform, or the job if the platform records none. */
  readonly recorded: object;
  readonly life: JobLife;
}

async function readLife(
  client: Client,
  job: { endpointId: string; id: string },
  signal: AbortSignal,
): Promise<ReadLife> {
  const read = await readJobTrace({ client, job, signal });
  if (read) return { recorded: read.trace, life: lifeOfTrace(read.trace, read.now) };
  const recorded = await client.getJobStatus({ endpointId: job.endpointId, jobId: job.id }, { signal });
  return { recorded, life: lifeOfJob({ ...recorded, submittedAt: undefined }, client.context.clock.now(), 'reported') };
}
