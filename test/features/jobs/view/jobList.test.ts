import assert from 'node:assert/strict';
import type { StoredJob } from '../../../../src/features/jobs/model/storedJob.ts';
import { EVERY_JOB } from '../../../../src/features/jobs/view/jobFilter.ts';
import { JobList } from '../../../../src/features/jobs/view/jobList.ts';

const job = (id: string, status: string): StoredJob => ({
  id,
  endpointId: 'e',
  endpointName: 'hello',
  submittedAt: 1_000,
  status,
});

function world(jobs: readonly StoredJob[]) {
  const source = {
    connectionId: 'local' as string | undefined,
    stored: jobs,
    shown: EVERY_JOB,
    time: 5_000,
    jobs: () => source.stored,
    filter: () => source.shown,
    isStopped: false,
    present: () => ({ now: source.time, isStopped: source.isStopped }),
  };
  const list = new JobList(source);
  return { source, list };
}

const ids = (nodes: 'all' | readonly { readonly jobId: string }[]) =>
  nodes === 'all' ? nodes : nodes.map(({ jobId }) => jobId);

describe('List of the jobs view', () => {
  it('keeps the node of a job, by which the editor identifies a row', () => {
    const { source, list } = world([job('1', 'IN_QUEUE')]);
    const [before] = list.nodes;
    source.stored = [job('2', 'IN_QUEUE'), job('1', 'COMPLETED')];
    assert.equal(list.update(), 'all');
    assert.deepEqual(ids(list.nodes), ['2', '1']);
    assert.equal(list.nodes[1], before);
  });

  it('repaints only the rows that changed', () => {
    const { source, list } = world([job('2', 'IN_QUEUE'), job('1', 'COMPLETED')]);
    source.stored = [job('2', 'COMPLETED'), job('1', 'COMPLETED')];
    assert.deepEqual(ids(list.update()), ['2']);
    assert.deepEqual(ids(list.update()), []);
  });

  it('repaints all rows if the filter or the connection changes', () => {
    const { source, list } = world([job('2', 'IN_QUEUE'), job('1', 'COMPLETED')]);
    source.shown = { states: ['active'], endpointIds: [] };
    assert.equal(list.update(), 'all');
    assert.deepEqual(ids(list.nodes), ['2']);
    source.connectionId = 'other';
    assert.equal(list.update(), 'all');
    assert.equal(list.nodes[0]?.connectionId, 'other');
    source.connectionId = undefined;
    list.update();
    assert.deepEqual(list.nodes, []);
  });

  it('repaints rows with a time that has changed: unfinished jobs each second, others each minute', () => {
    const { source, list } = world([job('2', 'IN_QUEUE'), job('1', 'COMPLETED')]);
    for (const node of list.nodes) list.row(node);
    source.time += 1_000;
    assert.deepEqual(ids(list.update()), ['2']);
    source.time += 60_000;
    assert.deepEqual(ids(list.update()), ['2', '1']);
  });

  it('does not count seconds while the platform does not run', () => {
    const { source, list } = world([job('2', 'IN_PROGRESS'), job('1', 'COMPLETED')]);
    source.isStopped = true;
    assert.deepEqual(ids(list.update()), ['2']);
    source.time += 1_000;
    assert.deepEqual(list.update(), []);
  });

  it('counts the unfinished jobs, whether or not the filter hides them', () => {
    const { source, list } = world([job('2', 'IN_QUEUE'), job('1', 'COMPLETED')]);
    source.shown = { states: ['completed'], endpointIds: [] };
    list.update();
    assert.deepEqual([list.active, list.total], [1, 2]);
  });

  it('contains the job of a row until the job is removed', () => {
    const { source, list } = world([job('1', 'IN_QUEUE')]);
    const node = list.nodes[0];
    assert.ok(node);
    assert.equal(list.find(node)?.status, 'IN_QUEUE');
    source.stored = [];
    list.update();
    assert.equal(list.row(node), undefined);
  });
});
