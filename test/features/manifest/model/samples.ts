import { parseManifestFile } from '../../../../src/features/manifest/model/text/parse.ts';
import type { ManifestLanguage, ParsedFile } from '../../../../src/features/manifest/model/text/node.ts';

/** A manifest with every kind of value. */
export const sampleYaml = `# Two lines
# of comment
name: hello
type: QUEUE
scaling: { type: QUEUE_DELAY, queueDelay: 4 }
image: "ghcr.io/example/hello:1"
env:
  TOKEN: |
    # not a comment
    # either
  LEVEL: info
gpu:
  pools:
    - ADA_24
    - AMPERE_24
  count: 2
mounts:
  network:
    - volumeId: n1
      path: /data
dataCenterIds: [EU-RO-1]
timeout: 300000
x-local:
  directory: hello
  command: node handler.mjs
`;

export const sampleJson = `{
  // Two lines
  // of comment
  "name": "hello",
  "type": "QUEUE",
  "scaling": { "type": "QUEUE_DELAY", "queueDelay": 4 },
  "image": "ghcr.io/example/hello:1", // the image
  "env": {
    "TOKEN": "# not a comment",
    "LEVEL": "info",
  },
  /* A block
     of comment */
  "gpu": {
    "pools": [
      "ADA_24",
      "AMPERE_24"
    ],
    "count": 2
  },
  "mounts": { "network": [{ "volumeId": "n1", "path": "/data" }] },
  "dataCenterIds": ["EU-RO-1"],
  "timeout": 300000,
  "x-local": { "directory": "hello", "command": "node handler.mjs" }
}
`;

export const samples: readonly (readonly [ManifestLanguage, string])[] = [
  ['yaml', sampleYaml],
  ['json', sampleJson],
];

export const parsed = (text: string, language: ManifestLanguage = 'yaml'): ParsedFile =>
  parseManifestFile(text, language);

/** Texts as they are while a user types the samples, also with Windows line ends and in files with several endpoints. */
export function* halfTyped(): Generator<ParsedFile> {
  for (const [language, text] of samples)
    for (let length = 0; length <= text.length; length++) {
      const typed = text.slice(0, length);
      yield parsed(typed, language);
      if (length % 7 === 0) yield parsed(typed.replaceAll('\n', '\r\n'), language);
      if (length % 7 === 0 && language === 'yaml') yield parsed(`---\nname: first\n---\n${typed}\n---\nname: last\n`);
    }
  for (const odd of ['&a', 'a: &a {b: *a}', 'a: *b', '<<: [*x]', '? [a]\n: b', '\t- x', '"', '- - -', 'a: [', '!!x y'])
    yield parsed(odd);
  for (const odd of ['{"a', '{"a":', '[{"', '"', '{"":1}', '{,}', '/*', '{"a":{"b":[', '\u0000'])
    yield parsed(odd, 'json');
}
