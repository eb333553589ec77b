import { Option, type Command } from '@commander-js/extra-typings';
import { MAX_VOLUME_GB } from '../../contract/bounds.ts';
import { MIN_VOLUME_GB, VOLUME_TYPES } from '../../contract/networkVolume.ts';
import { connection, dataDirectory, documentExits, json, notEmpty, whole, yes } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

const PLACE = 'name or ID of the volume, a colon, and a path, such as models:llama/config.json';
const size = whole(MIN_VOLUME_GB, MAX_VOLUME_GB);

/** Adds the commands for network volumes and their files. */
export function addVolumes(program: Command, run: Run): void {
  const volumes = program
    .command('volumes')
    .summary('manage network volumes and their files')
    .description('Manages network volumes, and lists, uploads, downloads, and deletes their files.')
    .helpCommand(false);
  for (const add of [addList, addPut, addGet, addRemove, addCreate, addGrow, addDelete]) add(volumes, run);
}

function addList(volumes: Command, run: Run): void {
  const command = volumes
    .command('ls')
    .summary('list volumes, or the files of one')
    .description(
      'Prints the volumes of the account, or the files and folders of a folder, with their size in bytes and the time of their last change.',
    )
    .argument('[place]', `${PLACE} (default: the volumes)`, notEmpty)
    .option('-r, --recursive', 'also list the files of all folders below')
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((place, options) =>
      run(verb(({ listCommand }, surroundings) => listCommand({ place, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The list is printed.'],
    ['1', 'There is no such volume, folder, or file, or it cannot be read.'],
  ]);
}

function addPut(volumes: Command, run: Run): void {
  const command = volumes
    .command('put')
    .summary('upload files and folders to a volume')
    .description(
      'Uploads files and folders to a folder of a volume, and verifies their checksums. Replaces files with the same name. After an interruption ' +
        'or a failure, the same command continues a large file where the last one ended.',
    )
    .usage('[options] <source...> <volume:folder>')
    .argument('<places...>', 'local files and folders, and last the folder of the volume, such as models:llama')
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((places, options) =>
      run(verb(({ putCommand }, surroundings) => putCommand({ places, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'All files are on the volume.'],
    ['1', 'A file could not be uploaded, for example because the volume is full. Files before it are uploaded.'],
  ]);
}

function addGet(volumes: Command, run: Run): void {
  const command = volumes
    .command('get')
    .summary('download a file or a folder of a volume')
    .description(
      'Downloads a file, or a folder with its files, into a local folder, and verifies the checksums. Replaces files with the same name. After an ' +
        'interruption or a failure, the same command continues a large file where the last one ended.',
    )
    .argument('<place>', PLACE, notEmpty)
    .argument('[folder]', 'local folder, which is created if necessary', notEmpty, '.')
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((place, folder, options) =>
      run(verb(({ getCommand }, surroundings) => getCommand({ place, folder, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'All files are downloaded.'],
    ['1', 'There is no such file or folder, or a file could not be downloaded. Files before it are downloaded.'],
  ]);
}

function addRemove(volumes: Command, run: Run): void {
  const command = volumes
    .command('rm')
    .summary('delete a file or a folder of a volume')
    .description('Deletes a file of a volume, or a folder with its files, after a confirmation. This cannot be undone.')
    .argument('<place>', PLACE, notEmpty)
    .option('-r, --recursive', 'delete a folder with its files')
    .addOption(yes())
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((place, options) =>
      run(verb(({ removeCommand }, surroundings) => removeCommand({ place, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'It is deleted.'],
    ['1', 'There is no such file or folder, it could not be deleted, or the answer was no.'],
  ]);
}

function addCreate(volumes: Command, run: Run): void {
  const command = volumes
    .command('create')
    .summary('create a volume')
    .description('Creates a network volume, and prints its ID. A hosted platform charges for it until it is deleted.')
    .argument('<name>', 'name of the volume', notEmpty)
    .requiredOption('--data-center <id>', 'data center, in which all workers that mount the volume run', notEmpty)
    .requiredOption('--size <gb>', 'size in GB; a volume can grow later, but not shrink', size)
    .addOption(new Option('--type <type>', 'type of storage (default: STANDARD)').choices(VOLUME_TYPES))
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((name, options) =>
      run(verb(({ createCommand }, surroundings) => createCommand({ name, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The volume is created.'],
    ['1', 'The platform refused it.'],
  ]);
}

function addGrow(volumes: Command, run: Run): void {
  const command = volumes
    .command('grow')
    .summary('make a volume larger')
    .description('Makes a network volume larger, and prints its ID. It cannot shrink again.')
    .argument('<volume>', 'name or ID of the volume', notEmpty)
    .argument('<gb>', 'new size in GB', size)
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((volume, gb, options) =>
      run(verb(({ growCommand }, surroundings) => growCommand({ volume, size: gb, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The volume has the new size.'],
    ['1', 'There is no such volume, it already has this size, or the platform refused it.'],
  ]);
}

function addDelete(volumes: Command, run: Run): void {
  const command = volumes
    .command('delete')
    .summary('delete a volume with its files')
    .description(
      'Deletes a network volume with its files, after a confirmation. Refuses while an endpoint mounts it. This cannot be undone.',
    )
    .argument('<volume>', 'name or ID of the volume', notEmpty)
    .addOption(yes())
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((volume, options) =>
      run(verb(({ deleteCommand }, surroundings) => deleteCommand({ volume, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The volume is deleted.'],
    ['1', 'There is no such volume, an endpoint mounts it, or the answer was no.'],
  ]);
}
