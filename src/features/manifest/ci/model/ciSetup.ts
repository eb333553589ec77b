/* The contents of a workflow of a CI service. */

export type CiService = 'github' | 'gitlab';

/** The program that the workflow runs. */
export interface CiProgram {
  readonly version: string;
  /** Address of its VSIX file. */
  readonly vsix: string;
  /** SHA-256 in hexadecimal of the list of the SHA-256 of its files, as `sha256sum *.js | sha256sum` prints it. */
  readonly digest: string;
}

/** An endpoint with `x-gate`. */
export interface CiGate {
  /** Path of its manifest, relative to the folder, with slashes. */
  readonly path: string;
  /** Its name, if the manifest has several endpoints. */
  readonly endpoint?: string;
}

/** The requirements of the files in a folder. */
export interface CiNeeds {
  /** Hosts of the registries that images of `x-build` are pushed to. Undefined: no manifest has `x-build`. */
  readonly registries: readonly string[] | undefined;
  /** Where the workers of the tests run, which are job files and requests with expectations. */
  readonly tests: 'none' | 'processes' | 'containers';
  readonly gates: readonly CiGate[];
  /** Names of the references `${secret:NAME}` in `env`. */
  readonly secrets: readonly string[];
  /** Names of the references `${env:NAME}` in `env`. */
  readonly variables: readonly string[];
}

export interface CiSetup extends CiNeeds {
  /** Folder of the manifests relative to the repository, with slashes; `.` for the repository itself. */
  readonly folder: string;
  /** Default branch of the repository. */
  readonly branch: string;
  readonly program: CiProgram;
}

/** Returns a scalar of YAML, in quotes. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Indents the lines of a block. */
export function indented(text: string, spaces: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(spaces));
}

/**
 * Commands that run the gates of manifests which the base has, too.
 *
 * @param base revision, which a shell expands
 * @param flags flags of each gate
 */
export function gateCommands(gates: readonly CiGate[], base: string, flags = ''): string {
  return gates
    .map(({ path, endpoint }) => {
      const file = `"$CLOUD_COMPUTE_FOLDER"/${shellWord(path)}`;
      const command = `cloud-compute gate ${file}${endpoint === undefined ? '' : ` --endpoint ${shellWord(endpoint)}`} --base ${base}${flags}`;
      return `if git cat-file -e ${base}:./${file} 2>/dev/null; then ${command}; fi`;
    })
    .join('\n');
}

/** Quotes a word of a command. The runner of GitHub would replace an expression even in quotes. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`).replaceAll('${{', "$''{{")}'`;
}

/** Commands that load the program into `directory`, check its files, and put `cloud-compute` there. */
export function installCommands(directory: string): string {
  return `curl --fail --silent --show-error --location --retry 3 --output "${directory}/cloud-compute.vsix" "$CLOUD_COMPUTE_VSIX"
unzip -q -o "${directory}/cloud-compute.vsix" -d "${directory}/cloud-compute"
cd "${directory}/cloud-compute/extension/dist"
digest=$(LC_ALL=C; export LC_ALL; sha256sum ./*.js | sha256sum)
if [ "$digest" != "$CLOUD_COMPUTE_DIGEST  -" ]; then
  echo "The files of $CLOUD_COMPUTE_VSIX do not have the digest $CLOUD_COMPUTE_DIGEST." >&2
  exit 1
fi
mkdir -p "${directory}/bin"
printf '#!/bin/sh\\nexec node "%s/cli.js" "$@"\\n' "$PWD" > "${directory}/bin/cloud-compute"
chmod +x "${directory}/bin/cloud-compute"`;
}
