import assert from 'node:assert/strict';
import {
  JsonProgress,
  LineProgress,
  lineOf,
  type ProgressReader,
  type StepPlace,
} from '../../../src/machine/builder/buildProgress.ts';
import { parseDockerfile } from '../../../src/machine/builder/dockerfile.ts';

/* Outputs of Docker 20.10, buildx 0.13, and Podman 4.3. */

function after(reader: ProgressReader, output: string): ProgressReader & { readonly shown: string } {
  const shown = output.split('\n').flatMap((line) => reader.read(line));
  return Object.assign(reader, { shown: shown.join('\n') });
}

const vertex = (name: string, more: object = {}) => ({ digest: `sha256:${name}`, name, started: 'now', ...more });
const pretty = (...vertexes: object[]): string => JSON.stringify({ vertexes }, undefined, 2);

describe('The progress of BuildKit as JSON', () => {
  it('shows each step once, and the output of its programs', () => {
    const run = vertex('[2/2] RUN echo a');
    const log = { vertex: run.digest, stream: 1, data: Buffer.from('a\nb\n').toString('base64') };
    const { shown } = after(
      new JsonProgress(),
      [
        pretty({ digest: 'sha256:x', name: 'not started' }),
        pretty(vertex('[1/2] FROM a', { completed: 'now', cached: true })),
        pretty(run),
        JSON.stringify({ logs: [log] }),
        pretty({ ...run, completed: 'now' }),
        'a line of text',
      ].join('\n'),
    );
    assert.equal(shown, '[1/2] FROM a (cached)\n[2/2] RUN echo a\n  a\n  b\na line of text');
  });

  it('has the first error with its step, not those of steps that were canceled', () => {
    const { place, reason } = after(
      new JsonProgress(),
      [
        pretty(vertex('[a 2/4] RUN slow', { error: 'rpc error: code = Canceled desc = context canceled' })),
        pretty(vertex('[stage-1 3/3] COPY nope /', { error: '"/nope" not found: not found' })),
        pretty(vertex('[a 3/4] RUN other', { error: 'other' })),
        'ERROR: failed to solve: failed to compute cache key: "/nope" not found: not found',
      ].join('\n'),
    );
    assert.deepEqual([place, reason], [{ kind: 'layer', stage: 'stage-1', number: 3 }, '"/nope" not found: not found']);
  });

  for (const [name, expected] of [
    ['[2/3] RUN x', { kind: 'layer', stage: undefined, number: 2 }],
    ['[build 2/3] RUN x', { kind: 'layer', stage: 'build', number: 2 }],
    ['[linux/arm64 build 2/3] RUN x', { kind: 'layer', stage: 'build', number: 2 }],
    ['[linux/amd64->arm64 2/3] RUN x', { kind: 'layer', stage: undefined, number: 2 }],
    ['[internal] load metadata for docker.io/base/none:1', { kind: 'base', image: 'docker.io/base/none:1' }],
    ['exporting to image', undefined],
  ] as const) {
    it(`knows the step ${name}`, () => {
      assert.deepEqual(after(new JsonProgress(), pretty(vertex(name, { error: 'no' }))).place, expected);
    });
  }

  it('has the last line without an error of a step, and the line that a parser names', () => {
    const error =
      'failed to solve: failed to create LLB definition: dockerfile parse error line 2: unknown instruction: RUNN';
    const { place, reason } = after(new JsonProgress(), `${pretty(vertex('[internal] load'))}\nERROR: ${error}\n`);
    assert.deepEqual([place, reason], [{ kind: 'line', line: 2 }, error]);
  });

  it('passes on text that only resembles JSON', () => {
    assert.equal(after(new JsonProgress(), '{ no }').shown, '{ no }');
  });
});

describe('The progress of a builder without JSON', () => {
  for (const [what, output, place, reason] of [
    [
      'docker build',
      "Step 1/2 : FROM a\n ---> 84b2\nStep 2/2 : RUN exit 3\n ---> Running in 9f02\nThe command '/bin/sh -c exit 3' returned a non-zero code: 3\n",
      { kind: 'file', number: 2 },
      "The command '/bin/sh -c exit 3' returned a non-zero code: 3",
    ],
    [
      'docker build of a file that it cannot parse',
      'Error response from daemon: dockerfile parse error line 2: unknown instruction: RUNN',
      { kind: 'line', line: 2 },
      'Error response from daemon: dockerfile parse error line 2: unknown instruction: RUNN',
    ],
    [
      'podman build',
      'STEP 1/2: FROM a\nSTEP 2/2: RUN exit 3\nError: building at STEP "RUN exit 3": while running runtime: exit status 3\n',
      { kind: 'stage', stage: 1, number: 2 },
      'building at STEP "RUN exit 3": while running runtime: exit status 3',
    ],
    [
      'podman build with stages',
      '[1/2] STEP 2/2: RUN true\n[2/2] STEP 1/3: FROM a\n[2/2] STEP 3/3: COPY b /\nError: no such file\n',
      { kind: 'stage', stage: 2, number: 3 },
      'no such file',
    ],
    ['podman build after its last step', 'STEP 1/1: FROM a\nCOMMIT a:1\nError: no space', undefined, 'no space'],
    [
      'BuildKit',
      '#4 [1/2] FROM a\n#5 [2/2] RUN exit 3\n#6 [other 1/2] RUN y\n#5 0.3 a\n#5 ERROR: exit code: 3\n------\n > [2/2] RUN exit 3:\n',
      { kind: 'layer', stage: undefined, number: 2 },
      'exit code: 3',
    ],
  ] as const) {
    it(`has the step and the reason of ${what}`, () => {
      const read = after(new LineProgress(), output);
      assert.deepEqual([read.place, read.reason, read.shown], [place, reason, output]);
    });
  }
});

describe('The line of a step', () => {
  const file = parseDockerfile(
    [
      ...['ARG BASE=node:20', 'FROM node:20 AS build', 'ENV A=1', 'WORKDIR /app', 'RUN make \\', '  all'],
      ...['FROM build', 'RUN test', 'FROM scratch', 'COPY --from=build /a /a', 'CMD ["/a"]'],
    ].join('\n'),
  );
  const line = (place: StepPlace) => lineOf(file, place, (one, other) => other.endsWith(one));

  for (const [place, expected] of [
    [{ kind: 'line', line: 3 }, 3],
    [{ kind: 'file', number: 1 }, 1],
    [{ kind: 'file', number: 5 }, 5],
    [{ kind: 'file', number: 6 }, 7],
    [{ kind: 'stage', stage: 1, number: 1 }, 2],
    [{ kind: 'stage', stage: 2, number: 2 }, 8],
    [{ kind: 'stage', stage: 9, number: 2 }, undefined],
    [{ kind: 'layer', stage: 'build', number: 1 }, 2],
    [{ kind: 'layer', stage: 'build', number: 3 }, 5],
    // A stage that is based on another one, or on nothing, has no image to count.
    [{ kind: 'layer', stage: 'stage-1', number: 1 }, 8],
    [{ kind: 'layer', stage: 'stage-2', number: 1 }, 10],
    [{ kind: 'layer', stage: 'other', number: 1 }, undefined],
    [{ kind: 'base', image: 'docker.io/library/node:20' }, 2],
    [{ kind: 'base', image: 'other' }, undefined],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(place)}`, () => assert.equal(line(place), expected));
  }
});
