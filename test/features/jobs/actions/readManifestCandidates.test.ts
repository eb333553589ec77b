import assert from 'node:assert/strict';
import { readManifestCandidates } from '../../../../src/features/jobs/actions/readManifestCandidates.ts';
import type { FileTree } from '../../../../src/features/manifest/actions/readManifests.ts';

function treeOf(files: Readonly<Record<string, string>>): FileTree<string> {
  return {
    list: (folder) => {
      const inside = Object.keys(files).filter((name) => name.startsWith(folder));
      const names = [...new Set(inside.map((name) => name.slice(folder.length).split('/')[0] ?? ''))];
      return Promise.resolve(
        names.map((name) => {
          const isFile = Object.hasOwn(files, folder + name);
          return { name, place: isFile ? folder + name : `${folder}${name}/`, kind: isFile ? 'file' : 'folder' };
        }),
      );
    },
    size: (file) => Promise.resolve(files[file]?.length ?? 0),
    read: (file) => Promise.resolve(new TextEncoder().encode(files[file])),
    unsaved: () => undefined,
  };
}

describe('The manifests for job files', () => {
  it('are read with their names, types, and input schemas, one for each endpoint of a file', async () => {
    const tree = treeOf({
      'hello.endpoint.yaml':
        'name: hello\ntype: QUEUE\nx-local: { directory: w, command: c, inputSchema: w/in.json }\n---\nname: second\n',
      'sub/web.endpoint.json': '{"name": "web", "type": "LOAD_BALANCER", // comment\n}',
      'node_modules/x.endpoint.yaml': 'name: no',
    });
    const found = await readManifestCandidates(tree, '', new AbortController().signal);
    assert.deepEqual(
      found.map(({ place, name, type, inputSchema }) => [place, name, type, inputSchema]),
      [
        ['hello.endpoint.yaml', 'hello', 'QUEUE', 'w/in.json'],
        ['hello.endpoint.yaml', 'second', undefined, undefined],
        ['sub/web.endpoint.json', 'web', 'LOAD_BALANCER', undefined],
      ],
    );
  });

  it('include incomplete ones, without members of a wrong type', async () => {
    const tree = treeOf({
      'a.endpoint.yaml': 'name: 5\nx-local: nothing',
      'b.endpoint.yaml': '- list',
      'c.endpoint.yaml': 'name: [',
    });
    const found = await readManifestCandidates(tree, '', new AbortController().signal);
    assert.deepEqual(found, [
      {
        path: 'a.endpoint.yaml',
        place: 'a.endpoint.yaml',
        name: undefined,
        type: undefined,
        inputSchema: undefined,
        sources: [],
      },
    ]);
  });
});
