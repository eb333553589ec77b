/* The part of `node:os` that features use. A browser has no folders of a user, so dialogs begin at the root. */

const os = { homedir: (): string => '/', tmpdir: (): string => '/tmp' };

export default os;
