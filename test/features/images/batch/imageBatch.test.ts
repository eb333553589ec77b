import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../../../src/client/clock.ts';
import { IMAGE_EDIT_ENDPOINT_ID } from '../../../../src/contract/imageEdit.ts';
import { operations } from '../../../../src/contract/operations.ts';
import { fetchEditedImage, FetchImageError } from '../../../../src/features/images/actions/fetchImage.ts';
import type { SentParameters } from '../../../../src/features/images/model/imageEdit.ts';
import { imageRows } from '../../../../src/features/images/batch/actions/imageRows.ts';
import {
  editedFolderOf,
  savedImages,
  saveEditedImages,
  type EditedLine,
  type SaveImagesOptions,
} from '../../../../src/features/images/batch/actions/saveEditedImages.ts';
import { BatchFiles } from '../../../../src/features/jobs/batch/batchFiles.ts';
import { readJournal } from '../../../../src/features/jobs/batch/journal.ts';
import { prepareBatch, startBatch } from '../../../../src/features/jobs/batch/actions/prepareBatch.ts';
import { gradient, jpegOf, pngOf } from '../../../platform/images/support.ts';
import { cleanUp, dataDirectory, eventually, platformForTest, type Api } from '../../../platform/support.ts';
import { batchPlatform, clientTo, openRunner } from '../../jobs/batch/batchSupport.ts';

const PARAMETERS: SentParameters = {
  ...{ prompt: 'make it black and white', negativePrompt: '', seed: 7, format: 'png', safetyChecker: true },
};
const { signal } = new AbortController();

describe('a batch of image edits', () => {
  let source: string;
  let api: Api;
  let platform: ReturnType<typeof batchPlatform>['platform'];
  let connection: { readonly baseUrl: string; readonly queueUrl: string };

  beforeEach(async () => {
    source = path.join(await dataDirectory(), 'photos');
    await mkdir(path.join(source, 'deep'), { recursive: true });
    const started = await platformForTest();
    api = started.api;
    connection = started.platform.announcement;
    platform = batchPlatform(clientTo(started.platform.announcement)).platform;
  });
  afterEach(cleanUp);

  const picture = (width: number) => pngOf(gradient(width, 4));
  const put = (name: string, content: string | Uint8Array) => writeFile(path.join(source, name), content);

  async function create(files: readonly string[], parameters = PARAMETERS) {
    const prepared = await prepareBatch(new BatchFiles(path.join(path.dirname(source), 'batches')), {
      source: { kind: 'folder', path: source, files, hasMedia: true },
      ...{ member: 'image', signal, read: imageRows(parameters) },
    });
    const target = { connectionId: 'local', endpointId: IMAGE_EDIT_ENDPOINT_ID, endpointName: 'Image Editing' };
    await startBatch(prepared, { ...target, pricePerHour: undefined, member: 'image' }, systemClock);
    return prepared;
  }

  async function save(folder: string, changes: Partial<SaveImagesOptions> = {}) {
    const { state } = await readJournal(folder);
    const fetchImage = (url: string) =>
      fetchEditedImage({ fetch: globalThis.fetch, clock: systemClock, signal, connection }, url);
    const target = editedFolderOf(source, false);
    const saved = await saveEditedImages({ folder, state, target, fetchImage, signal, ...changes });
    const text = await readFile(saved.results, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as EditedLine);
    return { ...saved, lines };
  }

  const edited = async () => (await readdir(`${source}-edited`, { recursive: true })).sort();
  const spent = async () => {
    const { metadata } = await api.call(operations.listBilling, { query: { bucketSize: 'hour', lastN: 24 } });
    return metadata.totals.endpointAmount;
  };

  it('leaves out files that cannot be edited, with a reason each', async () => {
    await put('good.png', picture(4));
    await put('icon.svg.png', '<svg xmlns="http://www.w3.org/2000/svg"/>');
    await put('empty.png', '');
    await put('large.png', Buffer.alloc(8 * 1_048_576));
    const files = ['deep', 'empty.png', 'gone.png', 'good.png', 'icon.svg.png', 'large.png'];
    const { rows, broken, listed } = await create(files);
    assert.deepEqual([rows, broken], [1, 5]);
    assert.deepEqual(
      listed.map(({ reference, problem }) => [reference, problem.code, 'message' in problem ? problem.message : '']),
      [
        ['deep', 'unusable', 'The file cannot be read.'],
        ['empty.png', 'unusable', 'The file is empty.'],
        ['gone.png', 'unusable', 'The file cannot be read.'],
        ['icon.svg.png', 'unusable', 'The file is SVG. Only PNG, JPEG, and GIF files can be edited.'],
        ['large.png', 'tooLarge', ''],
      ],
    );
  });

  it('writes the edited images under the names of their sources, with a list of parameters, costs, and failures', async () => {
    await put('a.png', picture(4));
    await put('a.jpg', jpegOf(gradient(5, 4)));
    await put('deep/c.png', picture(6));
    await put('cut.png', picture(7).subarray(0, 60));
    const { folder } = await create(['a.jpg', 'a.png', 'cut.png', 'deep/c.png']);
    const runner = await openRunner(folder, platform);
    assert.equal(await runner.run(), 'done');
    const { lines, unsaved, results } = await save(folder);
    assert.equal(results, path.join(`${source}-edited`, 'results.jsonl'));
    assert.equal(unsaved, 0);
    assert.deepEqual(await edited(), ['a-2.png', 'a.png', 'deep', 'deep/c.png', 'results.jsonl']);
    assert.deepEqual(
      lines.map(({ source: from, edited: to, status, cost }) => [from, to, status, cost]),
      [
        ['a.jpg', 'a.png', 'COMPLETED', 0.02],
        ['a.png', 'a-2.png', 'COMPLETED', 0.02],
        ['cut.png', undefined, 'FAILED', undefined],
        ['deep/c.png', 'deep/c.png', 'COMPLETED', 0.02],
      ],
    );
    assert.ok(lines[2]?.error, 'the failed image has a reason');
    assert.deepEqual(lines[0]?.parameters, {
      ...{ prompt: PARAMETERS.prompt, seed: 7, output_format: 'png', enable_safety_checker: true },
    });
    assert.equal(await spent(), 0.06);
  });

  it('saves no image twice, and replaces no file', async () => {
    await put('a.png', picture(4));
    await mkdir(`${source}-edited`);
    await writeFile(path.join(`${source}-edited`, 'a.png'), 'mine');
    await writeFile(path.join(`${source}-edited`, 'results.jsonl'), 'mine');
    const { folder } = await create(['a.png']);
    await (await openRunner(folder, platform)).run();
    await save(folder);
    await appendFile(path.join(folder, 'images.jsonl'), '["half');
    const { results, lines } = await save(folder, { fetchImage: () => assert.fail('the image was fetched again') });
    assert.deepEqual(await edited(), ['a-2.png', 'a.png', 'results-2.jsonl', 'results.jsonl']);
    assert.equal(path.basename(results), 'results-2.jsonl');
    assert.equal(lines[0]?.edited, 'a-2.png');
    assert.equal(await readFile(path.join(`${source}-edited`, 'a.png'), 'utf8'), 'mine');
  });

  it('saves an image later if its address fails, and edits it only once', async () => {
    await put('a.png', picture(4));
    await put('b.png', picture(5));
    const { folder } = await create(['a.png', 'b.png']);
    await (await openRunner(folder, platform)).run();
    let calls = 0;
    const fetchImage: SaveImagesOptions['fetchImage'] = (url) => {
      if (++calls === 1) throw new FetchImageError('timeout', { text: 'Too slow.' } as never);
      return fetchEditedImage({ fetch: globalThis.fetch, clock: systemClock, signal, connection }, url);
    };
    const first = await save(folder, { fetchImage });
    assert.equal(first.unsaved, 1);
    assert.equal(await savedImages(folder), 1);
    assert.match(first.lines[0]?.error ?? '', /^The edited image was not saved\./);
    assert.equal(first.lines[1]?.edited, 'b.png');
    const second = await save(folder);
    assert.deepEqual([second.unsaved, second.lines[0]?.edited, second.lines[0]?.error], [0, 'a.png', undefined]);
    assert.equal(await spent(), 0.04);
  });

  it('continues after the editor was killed, and pays for each image once', async () => {
    const files = Array.from({ length: 8 }, (_, index) => `${index}.png`);
    for (const [index, name] of files.entries()) await put(name, picture(4 + index));
    const { folder } = await create(files);
    const first = await openRunner(folder, platform, { maxInFlight: 2 });
    const run = first.run();
    await eventually('an image is edited', () => first.progress.counts.completed > 0);
    await first.drop();
    assert.equal(await run, undefined);
    const second = await openRunner(folder, platform);
    assert.equal(await second.run(), 'done');
    const { lines } = await save(folder);
    assert.deepEqual(
      lines.map(({ status }) => status),
      files.map(() => 'COMPLETED'),
    );
    assert.equal(await spent(), 0.16);
  });

  it('lists a prompt that the model refuses as a failure without a cost', async () => {
    await put('a.png', picture(4));
    const { folder } = await create(['a.png'], { ...PARAMETERS, prompt: 'do something that the model cannot do' });
    await (await openRunner(folder, platform)).run();
    const { lines } = await save(folder);
    assert.equal(lines[0]?.status, 'FAILED');
    assert.equal(await spent(), 0);
  });
});
