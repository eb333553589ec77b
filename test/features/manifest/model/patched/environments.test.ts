import assert from 'node:assert/strict';
import { fixesOf } from '../../../../../src/features/manifest/model/fixes/fixesOf.ts';
import { readManifestFile, type CheckOptions } from '../../../../../src/features/manifest/model/manifestFile.ts';
import { nameOf } from '../../../../../src/features/manifest/model/deployment/matchEndpoint.ts';
import { applyChanges } from '../../../../../src/features/manifest/model/editing/textChanges.ts';
import { outline } from '../../../../../src/features/manifest/model/reading/outline.ts';
import { manifestLinks } from '../../../../../src/features/manifest/model/reading/links.ts';
import { hoverAt } from '../../../../../src/features/manifest/model/reading/hover.ts';
import { accepted, completion, labels, marked } from '../completion/atCursor.ts';
import { live } from '../completion/liveSample.ts';

const base = `name: hello
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
cpu: [{ id: cpu3c, vcpuCount: 2 }]
image: registry.example.com/hello:1
x-environments:
`;

function read(environments: string, options: Partial<CheckOptions> = {}) {
  const file = readManifestFile(base + environments, { language: 'yaml', target: 'hosted', ...options });
  const [part] = file.parts;
  assert.ok(part);
  return { file, part };
}

/** Returns the only problem, and the text that it marks. */
function problemOf(environments: string, options?: Partial<CheckOptions>) {
  const { file } = read(environments, options);
  const [problem, ...others] = file.problems;
  assert.ok(problem, 'there is a problem');
  assert.deepEqual(others, []);
  const { start, end, message } = problem;
  return { file, problem, message, marked: file.text.slice(start, end) };
}

describe('a manifest in an environment', () => {
  const both = '  staging: { patch: { name: hello-staging, workers: { max: 1 } } }\n  production: {}\n';

  it('has the fields of its patch', () => {
    const { part } = read(both, { environment: 'staging' });
    assert.equal(part.manifest?.name, 'hello-staging');
    assert.deepEqual(part.manifest.workers, { max: 1 });
    assert.equal(part.manifest['x-environments'], undefined);
    assert.equal(nameOf(part), 'hello-staging');
    assert.equal(part.environment?.production, false);
  });

  it('is the manifest itself without a patch', () => {
    const { part } = read(both, { environment: 'production' });
    assert.equal(part.manifest?.name, 'hello');
    assert.equal(part.environment?.production, true);
  });

  it('is the manifest itself if no environment is chosen, or one that it does not have', () => {
    for (const environment of [undefined, 'eu']) {
      const { part } = read(both, { environment });
      assert.equal(part.manifest?.name, 'hello');
      assert.equal(part.environment, undefined);
      assert.deepEqual(
        part.environments.map(({ name }) => name),
        ['staging', 'production'],
      );
    }
  });

  it('is one of production if it says so', () => {
    const { part } = read('  eu: { production: true }\n', { environment: 'eu' });
    assert.equal(part.environment?.production, true);
  });

  it('has no manifest if the patch has an error, which the other environments do not have', () => {
    const broken = '  staging: { patch: { timeout: soon } }\n  production: {}\n';
    assert.equal(read(broken, { environment: 'staging' }).part.manifest, undefined);
    assert.equal(read(broken, { environment: 'production' }).part.manifest?.name, 'hello');
    assert.equal(read(broken).part.manifest?.name, 'hello');
  });
});

describe('the problems of environments', () => {
  it('are at their place in the patch, with the name of the environment', () => {
    const { message, marked: text, problem } = problemOf('  staging: { patch: { timeout: soon } }\n');
    assert.equal(message, 'staging: timeout: expected number, received string');
    assert.equal(text, 'soon');
    assert.deepEqual(problem.environments, ['staging']);
  });

  it('are at the field of the manifest that they come from', () => {
    const { message, marked: text } = problemOf('  staging: { patch: { type: LOAD_BALANCER } }\n');
    assert.match(message, /^staging: type: /);
    assert.equal(text, 'QUEUE_DELAY');
  });

  it('are shown once for all environments that have them', () => {
    const patch = '{ patch: { type: LOAD_BALANCER } }';
    const { message } = problemOf(`  staging: ${patch}\n  production: ${patch}\n`);
    assert.match(message, /^staging, production: type: /);
  });

  it('are at the null that removes a required field', () => {
    const { message, marked: text } = problemOf('  staging: { patch: { scaling: null } }\n');
    assert.match(message, /^staging: .*missing/);
    assert.equal(text, 'null');
  });

  it('do not repeat those of the manifest', () => {
    const { file } = read('  staging: {}\n  production: {}\ntimeout: soon\n');
    assert.deepEqual(
      file.problems.map(({ message }) => message),
      ['timeout: expected number, received string'],
    );
  });

  it('depend on the platform of their connection', () => {
    const image = '{ patch: { image: localhost/hello:1 } }';
    const connection = { isLocal: false, name: 'Team', host: 'api.example.com' };
    const codes = (environments: string, options: Partial<CheckOptions>) =>
      read(environments, options).file.problems.flatMap(({ code, severity }) => (severity === 'error' ? code : []));
    const local = `  a: { connection: local, ${image.slice(2)}\n`;
    assert.deepEqual(codes(local, { connection }), []);
    assert.deepEqual(codes(`  a: ${image}\n`, { connection }), ['imageOnlyLocal']);
    assert.deepEqual(codes(local.replace('local,', 'api.example.com,'), { target: 'local' }), ['imageOnlyLocal']);
  });

  it('use the values of the platform only for its own connection', () => {
    const catalog = { gpus: [], cpus: [{ id: 'cpu3c', vcpu: { min: 2, max: 16 } }], dataCenters: [] };
    const connection = { isLocal: false, name: 'Team', host: 'api.example.com' };
    const codes = (written: string) =>
      read(`  a: { connection: ${written}, patch: { cpu: [{ id: cpu9, vcpuCount: 2 }] } }\n`, {
        catalog,
        connection,
      }).file.problems.map(({ code }) => code);
    assert.equal(codes('API.example.com').length, 1);
    assert.equal(codes('Team').length, 1);
    assert.deepEqual(codes('other.example.com'), []);
  });
});

describe('the corrections in environments', () => {
  const corrected = (environments: string, title: string): string => {
    const { file, problem } = problemOf(environments);
    const fix = fixesOf(file, problem).find((one) => one.title === title);
    assert.ok(fix, `${title} is offered`);
    return applyChanges(file.text, fix.changes).slice(base.length);
  };

  it('rename a misspelled field of the patch', () => {
    const patch = '  staging:\n    patch:\n      timeuot: 60000 # one minute\n      disk: 5\n';
    assert.match(corrected(patch, "Change to 'timeout'"), /patch:\n {6}disk: 5\n {6}timeout: 60000\n$/);
  });

  it('change the patch for a problem of the manifest, which other environments share', () => {
    const patch = '  staging:\n    patch:\n      type: LOAD_BALANCER\n  production: {}\n';
    const text = corrected(patch, "Change to 'REQUEST_COUNT'");
    assert.match(text, /scaling:\n {8}type: REQUEST_COUNT\n {8}requestCount: 10\n {8}queueDelay: null\n/);
    assert.match(text, /\n {2}production: \{\}\n$/);
  });
});

describe('the editor inside a patch', () => {
  const inPatch = (line: string) => `${base}  staging:\n    patch:\n      ${line}`;

  it('completes the fields of the manifest, without its environments', () => {
    const fields = labels(inPatch('|'));
    for (const field of ['name', 'timeout', 'workers', 'x-local']) assert.ok(fields.includes(field), field);
    assert.ok(!fields.includes('x-environments'));
    assert.equal(accepted(inPatch('time|'), 'timeout'), inPatch('timeout: 300000').replace('|', ''));
  });

  it('knows the fields of the manifest that the patch leaves out', () => {
    assert.deepEqual(labels(inPatch('scaling: { | }')), ['type', 'queueDelay']);
    assert.match(completion(inPatch('gp|'), 'gpu').detail ?? '', /cannot be combined/);
    assert.ok(labels(inPatch('cpu: [{ id: cpu3c, vcpuCount: | }]'), live).includes('4'));
  });

  it('completes the fields of an environment', () => {
    assert.deepEqual(labels(`${base}  staging:\n    |`), ['connection', 'production', 'patch']);
  });

  it('describes a field', () => {
    const { text, offset, language } = marked(inPatch('time|out: 5000\n'));
    const file = readManifestFile(text, { language, target: 'hosted' });
    const { markdown } = hoverAt(file, offset, {}) ?? {};
    assert.match(markdown?.source ?? '', /timeout\*\* · integer · ms[^]*Maximum execution time/);
  });

  it('hides the values of variables in the outline, and links images', () => {
    const { file } = read('  staging: { patch: { env: { TOKEN: abc }, image: docker.io/team/hello } }\n');
    assert.doesNotMatch(JSON.stringify(outline(file)), /abc/);
    const pages = manifestLinks(file).flatMap((link) => (link.kind === 'image' ? [link.page] : []));
    assert.deepEqual(pages.toSorted(), ['https://hub.docker.com/r/team/hello', 'https://registry.example.com/hello']);
  });
});
