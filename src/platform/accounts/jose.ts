/* The parts of the library that sessions use. Importing the library itself with `import()` would put all of it into the VSIX. */

export { errors, jwtVerify, SignJWT } from 'jose';
