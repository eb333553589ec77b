import assert from 'node:assert/strict';
import { readEnvValues, NO_VALUES } from '../../../../src/features/manifest/actions/resolveBody.ts';
import { ApiError } from '../../../../src/client/apiError.ts';
import { changeWords } from '../../../../src/features/manifest/model/deployment/difference.ts';
import { withLink } from '../../../../src/features/manifest/model/deployment/matchEndpoint.ts';
import { deployingSteps } from '../../../../src/features/manifest/model/deployment/deploymentPlan.ts';
import { cleanUp, fixtures } from '../../../platform/support.ts';
import { createPaused } from '../../storeOnPlatform.ts';
import { Deployment, fileOf, filesOf, kindsOf, manifestText, obstacleOf } from './deployment.ts';

describe('planDeployment', () => {
  let deployment: Deployment;

  beforeEach(async () => {
    deployment = await Deployment.start();
  });
  afterEach(cleanUp);

  it('plans a creation for each manifest of each file, in YAML and JSON', async () => {
    const json = JSON.stringify({
      name: 'c',
      type: 'QUEUE',
      scaling: { type: 'QUEUE_DELAY', queueDelay: 1 },
      image: 'example/worker:1',
      cpu: [{ id: 'cpu3c', vcpuCount: 2 }],
    });
    const plan = await deployment.plan([
      fileOf('two.endpoint.yaml', `${manifestText('a')}---\n${manifestText('b')}`),
      fileOf('c.endpoint.json', `// comment\n${json}`),
    ]);
    assert.deepEqual(kindsOf(plan), ['a: create', 'b: create', 'c: create']);
    assert.deepEqual(
      deployingSteps(plan).map(({ fileName, part }) => `${fileName} ${part}`),
      ['two.endpoint.yaml 0', 'two.endpoint.yaml 1', 'c.endpoint.json 0'],
    );
    const [first] = deployingSteps(plan);
    assert.equal(first?.body.image, `process:${fixtures}`);
    assert.equal(first.process?.command, 'node worker.mjs');
    assert.deepEqual([plan.notInFiles, plan.complete], [[], true]);
  });

  it('plans an update with its changes, and names variables without their values', async () => {
    await deployment.deploy(filesOf({ a: manifestText('a', 'env: { TOKEN: before }'), b: manifestText('b') }));
    const plan = await deployment.plan(
      filesOf({ a: manifestText('a', 'env: { TOKEN: hidden }\ntimeout: 60000'), b: manifestText('b') }),
    );
    assert.deepEqual(kindsOf(plan), ['a: update', 'b: unchanged']);
    const [update] = deployingSteps(plan);
    assert.ok(update?.kind === 'update');
    assert.deepEqual(update.changes.map(changeWords), ['env: change TOKEN', 'timeout: 300000 → 60000']);
    assert.deepEqual(update.body, { env: { TOKEN: 'hidden' }, timeout: 60_000 });
    assert.equal(update.replacesWorkers, true);
  });

  it('reports the first problem of an invalid part and still plans the other parts', async () => {
    const broken = manifestText('b').replace('type: QUEUE\n', 'type: HEAP\n').replace('max: 0', 'max: x');
    const plan = await deployment.plan([fileOf('f.endpoint.yaml', `${manifestText('a')}---\n${broken}`)]);
    assert.deepEqual(kindsOf(plan), ['a: create', 'b: invalid']);
    const { problem, line, more } = obstacleOf(plan, 'invalid');
    assert.deepEqual([problem.code, line, more], ['notOneOf', 9, 1]);
  });

  it('reports files without text by their reason', async () => {
    const unreadable = { ...fileOf('dir.endpoint.yaml', ''), content: { unreadable: 'folder' } } as const;
    const plan = await deployment.plan([unreadable, fileOf('empty.endpoint.yaml', '')]);
    assert.deepEqual(kindsOf(plan), ['empty.endpoint.yaml: invalid', 'dir.endpoint.yaml: unreadable']);
    assert.equal(obstacleOf(plan, 'unreadable').reason, 'folder');
  });

  it('refuses a change of the type and of the hardware family', async () => {
    await deployment.deploy(filesOf({ a: manifestText('a'), b: manifestText('b') }));
    const other = manifestText('a')
      .replace('type: QUEUE\n', 'type: LOAD_BALANCER\n')
      .replace('{ type: QUEUE_DELAY, queueDelay: 1 }', '{ type: REQUEST_COUNT, requestCount: 1 }');
    const gpu = manifestText('b').replace(/cpu: .*/, 'gpu: { pools: [ADA_24] }');
    const plan = await deployment.plan(filesOf({ a: other, b: gpu }));
    assert.deepEqual(kindsOf(plan), ['a: refused', 'b: refused']);
    const reasons = plan.parts.flatMap((part) =>
      part.kind === 'blocked' && part.obstacle.kind === 'refused' ? part.obstacle.reasons : [],
    );
    assert.equal(reasons.length, 2);
  });

  it('is ambiguous if several endpoints have the name, unless a link names one of them', async () => {
    const [, { id }] = [await createPaused(deployment.client, 'a'), await createPaused(deployment.client, 'a')];
    const [file] = filesOf({ a: manifestText('a') });
    assert.ok(file);
    const plan = await deployment.plan([file]);
    assert.deepEqual(kindsOf(plan), ['a: ambiguous']);
    assert.deepEqual(plan.notInFiles, []);
    const links = withLink([], { file: file.file, part: 0, names: ['a'] }, id);
    const [linked] = (await deployment.plan([file], { links })).parts;
    assert.ok(linked?.kind === 'update');
    assert.equal(linked.endpoint.id, id);
  });

  it('reports a conflict for each file with the same name or the same endpoint', async () => {
    const same = await deployment.plan(
      filesOf({ one: manifestText('a'), two: manifestText('a'), c: manifestText('c') }),
    );
    assert.deepEqual(kindsOf(same), ['a: conflict', 'a: conflict', 'c: create']);
    assert.deepEqual(
      obstacleOf(same, 'conflict').others.map(({ fileName }) => fileName),
      ['two.endpoint.yaml'],
    );

    await deployment.deploy(filesOf({ one: manifestText('old') }));
    // The first file was renamed and keeps its link, and the second one has the old name.
    const linked = await deployment.plan(filesOf({ one: manifestText('new'), two: manifestText('old') }));
    assert.deepEqual(kindsOf(linked), ['new: conflict', 'old: conflict']);
  });

  it('counts an invalid file with the same name as a conflict', async () => {
    const invalid = manifestText('a').replace('type: QUEUE\n', 'type: HEAP\n');
    const plan = await deployment.plan(filesOf({ one: manifestText('a'), two: invalid }));
    assert.deepEqual(kindsOf(plan), ['a: conflict', 'a: invalid']);
  });

  it('lists endpoints that no file describes, but none of an invalid or unreadable file', async () => {
    await deployment.deploy(filesOf({ kept: manifestText('kept'), lost: manifestText('lost') }));
    await createPaused(deployment.client, 'other');
    const [kept, lost] = filesOf({ kept: manifestText('kept', 'unknown: 1'), lost: '' });
    assert.ok(kept && lost);
    const unreadable = { ...lost, content: { unreadable: 'unreadable' } } as const;
    const plan = await deployment.plan([kept, unreadable]);
    assert.deepEqual(
      plan.notInFiles.map(({ name }) => name),
      ['other'],
    );
    assert.equal(plan.complete, false);
  });

  it('blocks a manifest whose variables have no value', async () => {
    const files = filesOf({ a: manifestText('a', "env: { TOKEN: '${env:TOKEN}', PLAIN: text }") });
    const plan = await deployment.plan(files, { valuesOf: (all) => readEnvValues(all, NO_VALUES) });
    assert.deepEqual(obstacleOf(plan, 'unresolved').variables, ['TOKEN']);
    const resolved = await deployment.plan(files, {
      valuesOf: (all) => readEnvValues(all, { ...NO_VALUES, variable: () => 'value' }),
    });
    assert.deepEqual(deployingSteps(resolved)[0]?.body.env, { TOKEN: 'value', PLAIN: 'text' });
  });

  it('blocks a relative directory of a file that is not on this machine', async () => {
    const [file] = filesOf({ a: manifestText('a') });
    assert.ok(file);
    assert.deepEqual(kindsOf(await deployment.plan([{ ...file, folder: undefined }])), ['a: noFolder']);
  });

  it('reads each template once, and blocks only the manifests whose template cannot be read', async () => {
    const { client } = deployment;
    const { id } = await client.createTemplate({ body: { name: 'base', image: 'example/worker:1', serverless: true } });
    const withTemplate = (name: string, template: string) =>
      manifestText(name, `templateId: ${template}`).replace(/x-local: .*\n/, '');
    const files = filesOf({ a: withTemplate('a', id), b: withTemplate('b', id), c: withTemplate('c', 'down') });
    const asked: string[] = [];
    const getTemplate: typeof client.getTemplate = (args, options) => {
      asked.push(args.id);
      if (args.id === 'down') throw new ApiError('server', 'down', { operation: 'getTemplate' });
      return client.getTemplate(args, options);
    };
    const plan = await deployment.plan(files, { client: { ...client, getTemplate } });
    assert.deepEqual(kindsOf(plan), ['a: create', 'b: create', 'c: notCompared']);
    assert.deepEqual(asked, [id, 'down']);
  });

  it('checks for the platform of the connection', async () => {
    const plan = await deployment.plan(filesOf({ a: manifestText('a') }), { options: () => ({ target: 'hosted' }) });
    assert.deepEqual(kindsOf(plan), ['a: invalid']);
    assert.equal(obstacleOf(plan, 'invalid').problem.code, 'imageMissing');
  });

  it('throws if the endpoints cannot be read', async () => {
    await assert.rejects(
      deployment.plan([], { signal: AbortSignal.abort() }),
      (error) => error instanceof ApiError && error.kind === 'canceled',
    );
  });
});
