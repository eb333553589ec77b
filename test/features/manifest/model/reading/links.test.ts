import assert from 'node:assert/strict';
import { imagePage, manifestLinks } from '../../../../../src/features/manifest/model/reading/links.ts';
import { halfTyped, parsed, samples } from '../samples.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('imagePage', () => {
  for (const [reference, page] of [
    ['python', 'https://hub.docker.com/_/python'],
    ['python:3.12-slim', 'https://hub.docker.com/_/python'],
    ['library/python', 'https://hub.docker.com/_/python'],
    ['docker.io/library/python:3', 'https://hub.docker.com/_/python'],
    ['index.docker.io/runpod/pytorch:2.1', 'https://hub.docker.com/r/runpod/pytorch'],
    ['runpod/worker-vllm:stable-cuda12.1.0', 'https://hub.docker.com/r/runpod/worker-vllm'],
    [`runpod/pytorch@${digest}`, 'https://hub.docker.com/r/runpod/pytorch'],
    ['ghcr.io/owner/project/image:1', 'https://ghcr.io/owner/project/image'],
    ['quay.io/org/image:1', 'https://quay.io/repository/org/image'],
    ['public.ecr.aws/alias/image:1', 'https://gallery.ecr.aws/alias/image'],
    ['mcr.microsoft.com/dotnet/sdk:9.0', 'https://mcr.microsoft.com/artifact/mar/dotnet/sdk'],
    ['nvcr.io/nvidia/pytorch:24.05-py3', 'https://catalog.ngc.nvidia.com/orgs/nvidia/containers/pytorch'],
    ['nvcr.io/nvidia/k8s/cuda-sample', 'https://catalog.ngc.nvidia.com/orgs/nvidia/teams/k8s/containers/cuda-sample'],
    ['registry.example.com:5000/a/b:1', 'https://registry.example.com:5000/a/b'],
    [`Registry.Example.com/a@${digest}`, 'https://registry.example.com/a'],
  ] as const)
    it(`of ${reference} is ${page}`, () => assert.equal(imagePage(reference), page));

  for (const reference of [
    'process:/home/me/hello',
    'localhost/hello',
    'localhost:5000/hello',
    'buildhost:5000/hello',
    '127.0.0.1:5000/hello',
    '10.0.0.7/hello',
    '[::1]:5000/hello',
    'registry.local/hello',
    'registry.internal:5000/hello',
    'a/b/c',
    'Python',
    '${IMAGE}',
    'two words',
    'https://example.com/hello',
    'example.com/../x',
    'example.com/a?b=c',
    'user@example.com/a',
    '',
    'a'.repeat(501),
  ])
    it(`does not exist for ${reference.slice(0, 40)}`, () => assert.equal(imagePage(reference), undefined));
});

describe('manifestLinks', () => {
  for (const [language, text] of samples)
    it(`link the image and the directory in ${language}`, () => {
      const links = manifestLinks(parsed(text, language)).map(({ start, end, ...link }) => [
        text.slice(start, end),
        link,
      ]);
      assert.deepEqual(links, [
        ['ghcr.io/example/hello:1', { kind: 'image', page: 'https://ghcr.io/example/hello' }],
        ['hello', { kind: 'directory', directory: 'hello' }],
      ]);
    });

  it('link the folder and the Dockerfile of a build', () => {
    const text = 'x-build:\n  context: app\n  dockerfile: docker/Worker\n';
    assert.deepEqual(
      manifestLinks(parsed(text)).map(({ start, end, ...link }) => [text.slice(start, end), link]),
      [
        ['app', { kind: 'directory', directory: 'app' }],
        ['docker/Worker', { kind: 'file', file: 'app/docker/Worker' }],
      ],
    );
  });

  it('link the request file of a verification', () => {
    const text = 'x-verify:\n  request: requests/verify.http\n';
    assert.deepEqual(
      manifestLinks(parsed(text)).map(({ start, end, ...link }) => [text.slice(start, end), link]),
      [['requests/verify.http', { kind: 'file', file: 'requests/verify.http' }]],
    );
  });

  it('link the file of an input schema, and no schema in the manifest', () => {
    const text = 'x-local:\n  inputSchema: in.json\n---\nx-local: { inputSchema: { type: object } }\n';
    assert.deepEqual(
      manifestLinks(parsed(text)).map(({ start, end, ...link }) => [text.slice(start, end), link]),
      [['in.json', { kind: 'file', file: 'in.json' }]],
    );
  });

  it('link the files of a verification', () => {
    const text = 'x-verify:\n  job: jobs/a.job.json\n  expect: { schema: out.json }\n';
    assert.deepEqual(
      manifestLinks(parsed(text)).map(({ start, end, ...link }) => [text.slice(start, end), link]),
      ['jobs/a.job.json', 'out.json'].map((file) => [file, { kind: 'file', file }]),
    );
  });

  it('do not exist for a template, a block string, or an alias', () => {
    for (const text of ['templateId: abc', 'image: |\n  python\n', 'name: &i python\nimage: *i\n', 'image: [python]'])
      assert.deepEqual(manifestLinks(parsed(text)), [], text);
  });

  it('stay inside half-typed texts', () => {
    let count = 0;
    for (const file of halfTyped())
      for (const { start, end } of manifestLinks(file)) {
        assert.ok(end > start && end <= file.text.length, file.text);
        count++;
      }
    assert.ok(count > 100);
  });
});
