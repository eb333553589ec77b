import { createWriteStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type * as z from 'zod';
import { ImportQuery } from '../../contract/control/control.ts';
import { controlOperations } from '../../contract/control/controlOperations.ts';
import { violation } from '../../contract/violation.ts';
import { refuseViolations, Refusal } from '../domain/refusal.ts';
import { NO_CONTENT } from '../http/answer.ts';
import { parse } from '../routes/route.ts';
import { SnapshotError, OtherSchemaError } from '../store/store.ts';
import { controlRoute, type ControlApp } from './controlRoute.ts';
import type { ControlServices } from './controlServices.ts';
import { seed } from './seed.ts';

/** Maximum size of an imported snapshot, in bytes. */
const MAX_SNAPSHOT_BYTES = 8 * 1024 ** 3;

/** Routes that reset, seed, export, and import the platform's data. */
export function contentsRoutes(
  app: ControlApp,
  { tryImport, replace, reset, instance, mayStart }: ControlServices,
): void {
  controlRoute(app, controlOperations.reset, reset);
  controlRoute(app, controlOperations.seed, ({ body }) => seed(body, instance()));

  const { exportSnapshot, importSnapshot } = controlOperations;
  app.on('GET', exportSnapshot.path, async ({ method }) => {
    const headers = { 'Content-Type': exportSnapshot.success.type };
    if (method === 'HEAD') return { status: 200, headers };
    const directory = await mkdtemp(path.join(tmpdir(), 'cloud-compute-snapshot-'));
    const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
    try {
      const name = path.join(directory, 'snapshot.sqlite');
      await instance().contents.writeSnapshot(name);
      const file = await open(name);
      const { size } = await file.stat();
      const stream = file.createReadStream();
      stream.once('close', () => void remove());
      return {
        status: 200,
        headers: {
          ...headers,
          'Content-Length': String(size),
          'Content-Disposition': 'attachment; filename="cloud-compute.sqlite"',
        },
        body: stream,
      };
    } catch (error) {
      await remove();
      throw error;
    }
  });
  app.on('PUT', importSnapshot.path, async ({ incoming, query }) => {
    const { start = false, secrets: dropped = 'keep' } = parse(importSnapshot, ImportQuery, query) as z.output<
      typeof ImportQuery
    >;
    const directory = await mkdtemp(path.join(tmpdir(), 'cloud-compute-snapshot-'));
    try {
      const snapshot = path.join(directory, 'snapshot.sqlite');
      await pipeline(incoming, atMost(MAX_SNAPSHOT_BYTES), createWriteStream(snapshot, { mode: 0o600 }));
      // Tests the snapshot in a temporary store first, because the data of a platform in memory cannot be restored after a failure.
      const contents = { snapshot, start, secrets: dropped, mayStart };
      tryImport(contents, directory);
      await replace(contents);
      return NO_CONTENT;
    } catch (error) {
      throw snapshotRefusal(error);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

function atMost(bytes: number): Transform {
  let received = 0;
  return new Transform({
    transform: (chunk: Buffer, _, done) => {
      received += chunk.byteLength;
      if (received > bytes) done(new Refusal(413, `the snapshot is larger than ${bytes} bytes`));
      else done(null, chunk);
    },
  });
}

function snapshotRefusal(error: unknown): unknown {
  if (error instanceof OtherSchemaError)
    return refuseViolations([violation([], 'snapshotVersion', { message: error.message })]);
  if (!(error instanceof SnapshotError)) return error;
  return refuseViolations([violation([], 'snapshotUnusable', { message: error.message })]);
}
